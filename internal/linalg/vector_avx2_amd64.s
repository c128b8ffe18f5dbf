#include "textflag.h"

// exp(x) = 2^n * exp(r) with n = round(x/log 2) and |r| <= log(2)/2, exp(r) by
// the polynomial 1 + r + r^2*q(r) fitted to 4e-18.
DATA expTable<>+0(SB)/8, $0x4086300000000000 // largest argument
DATA expTable<>+8(SB)/8, $0xc086232bdd7abcd2 // smallest argument
DATA expTable<>+16(SB)/8, $0x3ff71547652b82fe // 1/log 2
DATA expTable<>+24(SB)/8, $0x3fe62e42fefa3800 // log 2, first 42 bits
DATA expTable<>+32(SB)/8, $0x3d2ef35793c76730 // log 2, rest
DATA expTable<>+40(SB)/8, $0x3e21f66df7fca49f // r^12
DATA expTable<>+48(SB)/8, $0x3e5af38a9b0ec855 // r^11
DATA expTable<>+56(SB)/8, $0x3e927e4e1f48534f // r^10
DATA expTable<>+64(SB)/8, $0x3ec71de0dae63bb3 // r^9
DATA expTable<>+72(SB)/8, $0x3efa01a01a47b054 // r^8
DATA expTable<>+80(SB)/8, $0x3f2a01a01a7c41d5 // r^7
DATA expTable<>+88(SB)/8, $0x3f56c16c16c167e1 // r^6
DATA expTable<>+96(SB)/8, $0x3f811111111109b3 // r^5
DATA expTable<>+104(SB)/8, $0x3fa5555555555555 // r^4
DATA expTable<>+112(SB)/8, $0x3fc5555555555556 // r^3
DATA expTable<>+120(SB)/8, $0x3fe0000000000000 // r^2
DATA expTable<>+128(SB)/8, $0x3ff0000000000000 // 1, r
DATA expTable<>+136(SB)/8, $0x43380000000003ff // 1.5*2^52 + 1023
GLOBL expTable<>(SB), RODATA|NOPTR, $144

// expLanes: a mask with the first r lanes set starts at 32 - 8*r.
DATA expLanes<>+0(SB)/8, $-1
DATA expLanes<>+8(SB)/8, $-1
DATA expLanes<>+16(SB)/8, $-1
DATA expLanes<>+24(SB)/8, $-1
DATA expLanes<>+32(SB)/8, $0
DATA expLanes<>+40(SB)/8, $0
DATA expLanes<>+48(SB)/8, $0
DATA expLanes<>+56(SB)/8, $0
GLOBL expLanes<>(SB), RODATA|NOPTR, $64

// func dotAVX2(x, y *float64, n int) float64
TEXT ·dotAVX2(SB), NOSPLIT, $0-32
	MOVQ   x+0(FP), SI
	MOVQ   y+8(FP), DI
	MOVQ   n+16(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	SUBQ   $32, CX
	JLT    rest

wide:
	VMOVUPD     (SI), Y8
	VMOVUPD     32(SI), Y9
	VMOVUPD     64(SI), Y10
	VMOVUPD     96(SI), Y11
	VMOVUPD     128(SI), Y12
	VMOVUPD     160(SI), Y13
	VMOVUPD     192(SI), Y14
	VMOVUPD     224(SI), Y15
	VFMADD231PD (DI), Y8, Y0
	VFMADD231PD 32(DI), Y9, Y1
	VFMADD231PD 64(DI), Y10, Y2
	VFMADD231PD 96(DI), Y11, Y3
	VFMADD231PD 128(DI), Y12, Y4
	VFMADD231PD 160(DI), Y13, Y5
	VFMADD231PD 192(DI), Y14, Y6
	VFMADD231PD 224(DI), Y15, Y7
	ADDQ        $256, SI
	ADDQ        $256, DI
	SUBQ        $32, CX
	JGE         wide

rest:
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	ADDQ   $32, CX
	SUBQ   $4, CX
	JLT    sum

narrow:
	VMOVUPD     (SI), Y8
	VFMADD231PD (DI), Y8, Y0
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $4, CX
	JGE         narrow

sum:
	VADDPD       Y2, Y0, Y0
	VADDPD       Y3, Y1, Y1
	VADDPD       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD       X1, X0, X0
	VPERMILPD    $1, X0, X1
	VADDSD       X1, X0, X0
	ADDQ         $4, CX
	JEQ          end

tail:
	VMOVSD      (SI), X8
	VFMADD231SD (DI), X8, X0
	ADDQ        $8, SI
	ADDQ        $8, DI
	DECQ        CX
	JNE         tail

end:
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func axpyAVX2(y *float64, alpha float64, x *float64, n int)
TEXT ·axpyAVX2(SB), NOSPLIT, $0-32
	MOVQ         y+0(FP), DI
	VBROADCASTSD alpha+8(FP), Y8
	MOVQ         x+16(FP), SI
	MOVQ         n+24(FP), CX
	SUBQ         $16, CX
	JLT          rest

wide:
	VMOVUPD     (DI), Y0
	VMOVUPD     32(DI), Y1
	VMOVUPD     64(DI), Y2
	VMOVUPD     96(DI), Y3
	VFMADD231PD (SI), Y8, Y0
	VFMADD231PD 32(SI), Y8, Y1
	VFMADD231PD 64(SI), Y8, Y2
	VFMADD231PD 96(SI), Y8, Y3
	VMOVUPD     Y0, (DI)
	VMOVUPD     Y1, 32(DI)
	VMOVUPD     Y2, 64(DI)
	VMOVUPD     Y3, 96(DI)
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JGE         wide

rest:
	ADDQ $16, CX
	JEQ  end
	SUBQ $4, CX
	JLT  scalar

narrow:
	VMOVUPD     (DI), Y0
	VFMADD231PD (SI), Y8, Y0
	VMOVUPD     Y0, (DI)
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $4, CX
	JGE         narrow

scalar:
	ADDQ $4, CX
	JEQ  end

tail:
	VMOVSD      (DI), X0
	VFMADD231SD (SI), X8, X0
	VMOVSD      X0, (DI)
	ADDQ        $8, SI
	ADDQ        $8, DI
	DECQ        CX
	JNE         tail

end:
	VZEROUPPER
	RET

// func addClampAVX2(dst *float64, shift float64, y *float64, n int)
TEXT ·addClampAVX2(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	VBROADCASTSD shift+8(FP), Y8
	MOVQ         y+16(FP), SI
	MOVQ         n+24(FP), CX
	VXORPD       Y9, Y9, Y9
	SUBQ         $4, CX
	JLT          rest

	// A maximum with a NaN is its first operand here: the NaN.
wide:
	VADDPD  (SI), Y8, Y0
	VADDPD  (DI), Y0, Y0
	VMAXPD  Y0, Y9, Y0
	VMOVUPD Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     wide

rest:
	ADDQ $4, CX
	JEQ  end

tail:
	VADDSD (SI), X8, X0
	VADDSD (DI), X0, X0
	VMAXSD X0, X9, X0
	VMOVSD X0, (DI)
	ADDQ   $8, SI
	ADDQ   $8, DI
	DECQ   CX
	JNE    tail

end:
	VZEROUPPER
	RET

// func columnDistancesAVX2(dst, x, z *float64, ldz, d, n int)
// Products are not fused into the sums: the bytes are those of the portable loop.
TEXT ·columnDistancesAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), DX
	MOVQ z+16(FP), SI
	MOVQ ldz+24(FP), R8
	MOVQ d+32(FP), R9
	MOVQ n+40(FP), CX
	SHLQ $3, R8
	SUBQ $16, CX
	JLT  rest

wide:
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R9, R12

wideRow:
	VBROADCASTSD (R11), Y8
	VMOVUPD      (R10), Y4
	VMOVUPD      32(R10), Y5
	VMOVUPD      64(R10), Y6
	VMOVUPD      96(R10), Y7
	VSUBPD       Y8, Y4, Y4
	VSUBPD       Y8, Y5, Y5
	VSUBPD       Y8, Y6, Y6
	VSUBPD       Y8, Y7, Y7
	VMULPD       Y4, Y4, Y4
	VMULPD       Y5, Y5, Y5
	VMULPD       Y6, Y6, Y6
	VMULPD       Y7, Y7, Y7
	VADDPD       Y4, Y0, Y0
	VADDPD       Y5, Y1, Y1
	VADDPD       Y6, Y2, Y2
	VADDPD       Y7, Y3, Y3
	ADDQ         $8, R11
	ADDQ         R8, R10
	DECQ         R12
	JNE          wideRow
	VMOVUPD      Y0, (DI)
	VMOVUPD      Y1, 32(DI)
	VMOVUPD      Y2, 64(DI)
	VMOVUPD      Y3, 96(DI)
	ADDQ         $128, SI
	ADDQ         $128, DI
	SUBQ         $16, CX
	JGE          wide

rest:
	ADDQ $16, CX
	JEQ  end
	SUBQ $4, CX
	JLT  scalars

narrow:
	VXORPD Y0, Y0, Y0
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R9, R12

narrowRow:
	VBROADCASTSD (R11), Y8
	VMOVUPD      (R10), Y4
	VSUBPD       Y8, Y4, Y4
	VMULPD       Y4, Y4, Y4
	VADDPD       Y4, Y0, Y0
	ADDQ         $8, R11
	ADDQ         R8, R10
	DECQ         R12
	JNE          narrowRow
	VMOVUPD      Y0, (DI)
	ADDQ         $32, SI
	ADDQ         $32, DI
	SUBQ         $4, CX
	JGE          narrow

scalars:
	ADDQ $4, CX
	JEQ  end

scalar:
	VXORPD X0, X0, X0
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R9, R12

scalarRow:
	VMOVSD (R10), X4
	VSUBSD (R11), X4, X4
	VMULSD X4, X4, X4
	VADDSD X4, X0, X0
	ADDQ   $8, R11
	ADDQ   R8, R10
	DECQ   R12
	JNE    scalarRow
	VMOVSD X0, (DI)
	ADDQ   $8, SI
	ADDQ   $8, DI
	DECQ   CX
	JNE    scalar

end:
	VZEROUPPER
	RET

// A vector in flight: x (argument, then its mask), n, r, p. Y15 is a constant.
#define CONST(offset) VBROADCASTSD expTable<>+offset(SB), Y15

#define REDUCE(x, n, r) \
	VMULPD       Y14, x, x  \
	CONST(0)                \
	VMINPD       x, Y15, x  \
	CONST(16)               \
	VMULPD       Y15, x, n  \
	VROUNDPD     $8, n, n   \
	CONST(24)               \
	VMOVAPD      x, r       \
	VFNMADD231PD Y15, n, r  \
	CONST(32)               \
	VFNMADD231PD Y15, n, r  \
	CONST(8)                \
	VCMPPD       $17, Y15, x, x

// FINISH multiplies by 2^n in two exact steps, since 2^1024 is no float64.
#define FINISH(x, n, r, p) \
	VMULPD      r, r, Y15    \
	VFMADD213PD r, Y15, p    \
	CONST(128)               \
	VADDPD      Y15, p, p    \
	CONST(120)               \
	VMULPD      Y15, n, r    \
	VROUNDPD    $9, r, r     \
	VSUBPD      r, n, n      \
	CONST(136)               \
	VADDPD      Y15, r, r    \
	VADDPD      Y15, n, n    \
	VPSLLQ      $52, r, r    \
	VPSLLQ      $52, n, n    \
	VMULPD      r, p, p      \
	VMULPD      n, p, p      \
	VANDNPD     p, x, p      \
	VMULPD      Y13, p, p

#define STEP3(offset) \
	CONST(offset)             \
	VFMADD213PD Y15, Y6, Y9   \
	VFMADD213PD Y15, Y7, Y10  \
	VFMADD213PD Y15, Y8, Y11

#define STEP1(offset) \
	CONST(offset)             \
	VFMADD213PD Y15, Y6, Y9

// func expAVX2(dst *float64, scale, rate float64, src *float64, n int)
TEXT ·expAVX2(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	VBROADCASTSD scale+8(FP), Y13
	VBROADCASTSD rate+16(FP), Y14
	MOVQ         src+24(FP), SI
	MOVQ         n+32(FP), CX
	SUBQ         $12, CX
	JLT          rest

wide:
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	REDUCE(Y0, Y3, Y6)
	REDUCE(Y1, Y4, Y7)
	REDUCE(Y2, Y5, Y8)
	VBROADCASTSD expTable<>+40(SB), Y9
	VMOVAPD Y9, Y10
	VMOVAPD Y9, Y11
	STEP3(48)
	STEP3(56)
	STEP3(64)
	STEP3(72)
	STEP3(80)
	STEP3(88)
	STEP3(96)
	STEP3(104)
	STEP3(112)
	STEP3(120)
	FINISH(Y0, Y3, Y6, Y9)
	FINISH(Y1, Y4, Y7, Y10)
	FINISH(Y2, Y5, Y8, Y11)
	VMOVUPD Y9, (DI)
	VMOVUPD Y10, 32(DI)
	VMOVUPD Y11, 64(DI)
	ADDQ    $96, SI
	ADDQ    $96, DI
	SUBQ    $12, CX
	JGE     wide

rest:
	ADDQ    $12, CX
	JEQ     end
	LEAQ    expLanes<>+32(SB), BX
	VMOVUPD expLanes<>+0(SB), Y12

narrow:
	CMPQ    CX, $4
	JGE     masked
	MOVQ    CX, AX
	NEGQ    AX
	VMOVUPD (BX)(AX*8), Y12

masked:
	VMASKMOVPD (SI), Y12, Y0
	REDUCE(Y0, Y3, Y6)
	VBROADCASTSD expTable<>+40(SB), Y9
	STEP1(48)
	STEP1(56)
	STEP1(64)
	STEP1(72)
	STEP1(80)
	STEP1(88)
	STEP1(96)
	STEP1(104)
	STEP1(112)
	STEP1(120)
	FINISH(Y0, Y3, Y6, Y9)
	VMASKMOVPD Y9, Y12, (DI)
	ADDQ       $32, SI
	ADDQ       $32, DI
	SUBQ       $4, CX
	JGT        narrow

end:
	VZEROUPPER
	RET
