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
GLOBL expTable<>(SB), RODATA|NOPTR, $136

// func dotAVX512(x, y *float64, n int) float64
TEXT ·dotAVX512(SB), NOSPLIT, $0-32
	MOVQ   x+0(FP), SI
	MOVQ   y+8(FP), DI
	MOVQ   n+16(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	SUBQ   $64, CX
	JLT    rest

wide:
	VMOVUPD     (SI), Z8
	VMOVUPD     64(SI), Z9
	VMOVUPD     128(SI), Z10
	VMOVUPD     192(SI), Z11
	VMOVUPD     256(SI), Z12
	VMOVUPD     320(SI), Z13
	VMOVUPD     384(SI), Z14
	VMOVUPD     448(SI), Z15
	VFMADD231PD (DI), Z8, Z0
	VFMADD231PD 64(DI), Z9, Z1
	VFMADD231PD 128(DI), Z10, Z2
	VFMADD231PD 192(DI), Z11, Z3
	VFMADD231PD 256(DI), Z12, Z4
	VFMADD231PD 320(DI), Z13, Z5
	VFMADD231PD 384(DI), Z14, Z6
	VFMADD231PD 448(DI), Z15, Z7
	ADDQ        $512, SI
	ADDQ        $512, DI
	SUBQ        $64, CX
	JGE         wide

rest:
	ADDQ $64, CX
	SUBQ $8, CX
	JLT  tail

narrow:
	VMOVUPD     (SI), Z8
	VFMADD231PD (DI), Z8, Z0
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $8, CX
	JGE         narrow

tail:
	ADDQ        $8, CX
	JEQ         sum
	MOVL        $1, AX
	SHLL        CX, AX
	DECL        AX
	KMOVW       AX, K1
	VMOVUPD.Z   (SI), K1, Z8
	VFMADD231PD (DI), Z8, K1, Z1

sum:
	VADDPD        Z4, Z0, Z0
	VADDPD        Z5, Z1, Z1
	VADDPD        Z6, Z2, Z2
	VADDPD        Z7, Z3, Z3
	VADDPD        Z2, Z0, Z0
	VADDPD        Z3, Z1, Z1
	VADDPD        Z1, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPD        Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	VADDPD        X1, X0, X0
	VPERMILPD     $1, X0, X1
	VADDSD        X1, X0, X0
	VMOVSD        X0, ret+24(FP)
	VZEROUPPER
	RET

// func axpyAVX512(y *float64, alpha float64, x *float64, n int)
TEXT ·axpyAVX512(SB), NOSPLIT, $0-32
	MOVQ         y+0(FP), DI
	VBROADCASTSD alpha+8(FP), Z8
	MOVQ         x+16(FP), SI
	MOVQ         n+24(FP), CX
	SUBQ         $32, CX
	JLT          rest

wide:
	VMOVUPD     (DI), Z0
	VMOVUPD     64(DI), Z1
	VMOVUPD     128(DI), Z2
	VMOVUPD     192(DI), Z3
	VFMADD231PD (SI), Z8, Z0
	VFMADD231PD 64(SI), Z8, Z1
	VFMADD231PD 128(SI), Z8, Z2
	VFMADD231PD 192(SI), Z8, Z3
	VMOVUPD     Z0, (DI)
	VMOVUPD     Z1, 64(DI)
	VMOVUPD     Z2, 128(DI)
	VMOVUPD     Z3, 192(DI)
	ADDQ        $256, SI
	ADDQ        $256, DI
	SUBQ        $32, CX
	JGE         wide

rest:
	ADDQ $32, CX
	SUBQ $8, CX
	JLT  tail

narrow:
	VMOVUPD     (DI), Z0
	VFMADD231PD (SI), Z8, Z0
	VMOVUPD     Z0, (DI)
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $8, CX
	JGE         narrow

tail:
	ADDQ        $8, CX
	JEQ         end
	MOVL        $1, AX
	SHLL        CX, AX
	DECL        AX
	KMOVW       AX, K1
	VMOVUPD.Z   (DI), K1, Z0
	VFMADD231PD (SI), Z8, K1, Z0
	VMOVUPD     Z0, K1, (DI)

end:
	VZEROUPPER
	RET

// func addClampAVX512(dst *float64, shift float64, y *float64, n int)
TEXT ·addClampAVX512(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	VBROADCASTSD shift+8(FP), Z8
	MOVQ         y+16(FP), SI
	MOVQ         n+24(FP), CX
	VPXORQ       Z9, Z9, Z9
	SUBQ         $8, CX
	JLT          tail

	// A maximum with a NaN is its first operand here: the NaN.
wide:
	VADDPD  (SI), Z8, Z0
	VADDPD  (DI), Z0, Z0
	VMAXPD  Z0, Z9, Z0
	VMOVUPD Z0, (DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $8, CX
	JGE     wide

tail:
	ADDQ      $8, CX
	JEQ       end
	MOVL      $1, AX
	SHLL      CX, AX
	DECL      AX
	KMOVW     AX, K1
	VMOVUPD.Z (SI), K1, Z1
	VMOVUPD.Z (DI), K1, Z0
	VADDPD    Z1, Z8, Z1
	VADDPD    Z0, Z1, Z0
	VMAXPD    Z0, Z9, Z0
	VMOVUPD   Z0, K1, (DI)

end:
	VZEROUPPER
	RET

// func columnDistancesAVX512(dst, x, z *float64, ldz, d, n int)
// Products are not fused into the sums: the bytes are those of the portable loop.
TEXT ·columnDistancesAVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), DX
	MOVQ z+16(FP), SI
	MOVQ ldz+24(FP), R8
	MOVQ d+32(FP), R9
	MOVQ n+40(FP), CX
	SHLQ $3, R8
	SUBQ $32, CX
	JLT  rest

wide:
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R9, R12

wideRow:
	VBROADCASTSD (R11), Z8
	VMOVUPD      (R10), Z4
	VMOVUPD      64(R10), Z5
	VMOVUPD      128(R10), Z6
	VMOVUPD      192(R10), Z7
	VSUBPD       Z8, Z4, Z4
	VSUBPD       Z8, Z5, Z5
	VSUBPD       Z8, Z6, Z6
	VSUBPD       Z8, Z7, Z7
	VMULPD       Z4, Z4, Z4
	VMULPD       Z5, Z5, Z5
	VMULPD       Z6, Z6, Z6
	VMULPD       Z7, Z7, Z7
	VADDPD       Z4, Z0, Z0
	VADDPD       Z5, Z1, Z1
	VADDPD       Z6, Z2, Z2
	VADDPD       Z7, Z3, Z3
	ADDQ         $8, R11
	ADDQ         R8, R10
	DECQ         R12
	JNE          wideRow
	VMOVUPD      Z0, (DI)
	VMOVUPD      Z1, 64(DI)
	VMOVUPD      Z2, 128(DI)
	VMOVUPD      Z3, 192(DI)
	ADDQ         $256, SI
	ADDQ         $256, DI
	SUBQ         $32, CX
	JGE          wide

rest:
	ADDQ $32, CX
	JEQ  end

narrow:
	MOVL $255, AX
	CMPQ CX, $8
	JGE  masked
	MOVL $1, AX
	SHLL CX, AX
	DECL AX

masked:
	KMOVW  AX, K1
	VPXORQ Z0, Z0, Z0
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R9, R12

narrowRow:
	VBROADCASTSD (R11), Z8
	VMOVUPD.Z    (R10), K1, Z4
	VSUBPD       Z8, Z4, Z4
	VMULPD       Z4, Z4, Z4
	VADDPD       Z4, Z0, Z0
	ADDQ         $8, R11
	ADDQ         R8, R10
	DECQ         R12
	JNE          narrowRow
	VMOVUPD      Z0, K1, (DI)
	ADDQ         $64, SI
	ADDQ         $64, DI
	SUBQ         $8, CX
	JGT          narrow

end:
	VZEROUPPER
	RET

// Constants: Z31 rate, Z30 scale, Z29-Z13 expTable in order.
// A vector in flight: r (first the argument), n, p, its mask k.
#define REDUCE(r, n, k) \
	VMULPD       Z31, r, r     \
	VMINPD       r, Z29, r     \
	VCMPPD       $21, Z28, r, k \
	VMULPD       Z27, r, n     \
	VRNDSCALEPD  $8, n, n      \
	VFNMADD231PD Z26, n, r     \
	VFNMADD231PD Z25, n, r

#define START(r, p) \
	VMOVAPD     Z23, p     \
	VFMADD231PD Z24, r, p

#define STEP(c, r, p) \
	VFMADD213PD c, r, p

#define FINISH(r, n, p, t, k) \
	VMULPD      r, r, t    \
	VFMADD213PD r, t, p    \
	VADDPD      Z13, p, p  \
	VSCALEFPD   n, p, p    \
	VMOVAPD.Z   p, k, p    \
	VMULPD      Z30, p, p

#define STEP4(c) \
	STEP(c, Z0, Z8)  \
	STEP(c, Z1, Z9)  \
	STEP(c, Z2, Z10) \
	STEP(c, Z3, Z11)

// func expAVX512(dst *float64, scale, rate float64, src *float64, n int)
TEXT ·expAVX512(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	VBROADCASTSD scale+8(FP), Z30
	VBROADCASTSD rate+16(FP), Z31
	MOVQ         src+24(FP), SI
	MOVQ         n+32(FP), CX
	VBROADCASTSD expTable<>+0(SB), Z29
	VBROADCASTSD expTable<>+8(SB), Z28
	VBROADCASTSD expTable<>+16(SB), Z27
	VBROADCASTSD expTable<>+24(SB), Z26
	VBROADCASTSD expTable<>+32(SB), Z25
	VBROADCASTSD expTable<>+40(SB), Z24
	VBROADCASTSD expTable<>+48(SB), Z23
	VBROADCASTSD expTable<>+56(SB), Z22
	VBROADCASTSD expTable<>+64(SB), Z21
	VBROADCASTSD expTable<>+72(SB), Z20
	VBROADCASTSD expTable<>+80(SB), Z19
	VBROADCASTSD expTable<>+88(SB), Z18
	VBROADCASTSD expTable<>+96(SB), Z17
	VBROADCASTSD expTable<>+104(SB), Z16
	VBROADCASTSD expTable<>+112(SB), Z15
	VBROADCASTSD expTable<>+120(SB), Z14
	VBROADCASTSD expTable<>+128(SB), Z13
	SUBQ         $32, CX
	JLT          rest

wide:
	VMOVUPD (SI), Z0
	VMOVUPD 64(SI), Z1
	VMOVUPD 128(SI), Z2
	VMOVUPD 192(SI), Z3
	REDUCE(Z0, Z4, K1)
	REDUCE(Z1, Z5, K2)
	REDUCE(Z2, Z6, K3)
	REDUCE(Z3, Z7, K4)
	START(Z0, Z8)
	START(Z1, Z9)
	START(Z2, Z10)
	START(Z3, Z11)
	STEP4(Z22)
	STEP4(Z21)
	STEP4(Z20)
	STEP4(Z19)
	STEP4(Z18)
	STEP4(Z17)
	STEP4(Z16)
	STEP4(Z15)
	STEP4(Z14)
	FINISH(Z0, Z4, Z8, Z12, K1)
	FINISH(Z1, Z5, Z9, Z12, K2)
	FINISH(Z2, Z6, Z10, Z12, K3)
	FINISH(Z3, Z7, Z11, Z12, K4)
	VMOVUPD Z8, (DI)
	VMOVUPD Z9, 64(DI)
	VMOVUPD Z10, 128(DI)
	VMOVUPD Z11, 192(DI)
	ADDQ    $256, SI
	ADDQ    $256, DI
	SUBQ    $32, CX
	JGE     wide

rest:
	ADDQ $32, CX
	JEQ  end
	MOVL $255, AX

narrow:
	CMPQ CX, $8
	JGE  masked
	MOVL $1, AX
	SHLL CX, AX
	DECL AX

masked:
	KMOVW     AX, K5
	VMOVUPD.Z (SI), K5, Z0
	REDUCE(Z0, Z4, K1)
	START(Z0, Z8)
	STEP(Z22, Z0, Z8)
	STEP(Z21, Z0, Z8)
	STEP(Z20, Z0, Z8)
	STEP(Z19, Z0, Z8)
	STEP(Z18, Z0, Z8)
	STEP(Z17, Z0, Z8)
	STEP(Z16, Z0, Z8)
	STEP(Z15, Z0, Z8)
	STEP(Z14, Z0, Z8)
	FINISH(Z0, Z4, Z8, Z12, K1)
	VMOVUPD   Z8, K5, (DI)
	ADDQ      $64, SI
	ADDQ      $64, DI
	SUBQ      $8, CX
	JGT       narrow

end:
	VZEROUPPER
	RET
