#include "textflag.h"
#include "lanes_avx2_amd64.h"
#include "exp_amd64.h"

// A vector in flight: n, r (first the argument), p. Y14 and Y15 are constants and masks.
#define CONST(offset) VBROADCASTSD expTable<>+offset(SB), Y15

// REDUCE takes rate*x in r. Adding 1.5*2^52 + 2046 rounds x/log 2 to the integer n and leaves
// n + 2046 in the low bits. Where x is too small, these bits are cleared: the powers of two are 0.
#define REDUCE(n, r) \
	CONST(0)                 \
	VMINPD       r, Y15, r   \
	CONST(8)                 \
	VCMPPD       $17, Y15, r, Y14 \
	VMAXPD       r, Y15, r   \
	CONST(16)                \
	VMULPD       Y15, r, n   \
	CONST(136)               \
	VADDPD       Y15, n, n   \
	VSUBPD       Y15, n, Y15 \
	VANDNPD      n, Y14, n   \
	VBROADCASTSD expTable<>+24(SB), Y14 \
	VFNMADD231PD Y14, Y15, r \
	VBROADCASTSD expTable<>+32(SB), Y14 \
	VFNMADD231PD Y14, Y15, r

// FINISH multiplies by 2^n in two exact steps, since 2^1024 is no float64: with h = n/2 rounded
// down, the exponents h + 1023 and n - h + 1023.
#define FINISH(n, r, p) \
	VMULPD      r, r, Y15    \
	VFMADD213PD r, Y15, p    \
	CONST(128)               \
	VADDPD      Y15, p, p    \
	CONST(144)               \
	VPSLLQ      $51, n, r    \
	VPSLLQ      $52, n, n    \
	VPAND       Y15, r, r    \
	VPSUBQ      r, n, n      \
	VMULPD      r, p, p      \
	VMULPD      n, p, p      \
	VMULPD      Y12, p, p

#define STEP1(offset) \
	CONST(offset)             \
	VFMADD213PD Y15, Y4, Y8

#define STEP2(offset) \
	STEP1(offset)             \
	VFMADD213PD Y15, Y5, Y9

#define STEP4(offset) \
	STEP2(offset)             \
	VFMADD213PD Y15, Y6, Y10  \
	VFMADD213PD Y15, Y7, Y11

#define POLYNOMIAL(STEP) \
	STEP(48)  \
	STEP(56)  \
	STEP(64)  \
	STEP(72)  \
	STEP(80)  \
	STEP(88)  \
	STEP(96)  \
	STEP(104) \
	STEP(112) \
	STEP(120)

// func expAVX2(dst *float64, scale, rate float64, src *float64, n int)
TEXT ·expAVX2(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	VBROADCASTSD scale+8(FP), Y12
	VBROADCASTSD rate+16(FP), Y13
	MOVQ         src+24(FP), SI
	MOVQ         n+32(FP), CX
	SUBQ         $16, CX
	JLT          rest

wide:
	VMULPD (SI), Y13, Y4
	VMULPD 32(SI), Y13, Y5
	VMULPD 64(SI), Y13, Y6
	VMULPD 96(SI), Y13, Y7
	REDUCE(Y0, Y4)
	REDUCE(Y1, Y5)
	REDUCE(Y2, Y6)
	REDUCE(Y3, Y7)
	VBROADCASTSD expTable<>+40(SB), Y8
	VMOVAPD Y8, Y9
	VMOVAPD Y8, Y10
	VMOVAPD Y8, Y11
	POLYNOMIAL(STEP4)
	FINISH(Y0, Y4, Y8)
	FINISH(Y1, Y5, Y9)
	FINISH(Y2, Y6, Y10)
	FINISH(Y3, Y7, Y11)
	VMOVUPD Y8, (DI)
	VMOVUPD Y9, 32(DI)
	VMOVUPD Y10, 64(DI)
	VMOVUPD Y11, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $16, CX
	JGE     wide

rest:
	ADDQ    $16, CX
	JEQ     end
	LEAQ    lanes<>+32(SB), BX
	VMOVUPD lanes<>+0(SB), Y1

narrow:
	CMPQ    CX, $4
	JGE     masked
	MOVQ    CX, AX
	NEGQ    AX
	VMOVUPD (BX)(AX*8), Y1

masked:
	VMASKMOVPD (SI), Y1, Y4
	VMULPD     Y13, Y4, Y4
	REDUCE(Y0, Y4)
	VBROADCASTSD expTable<>+40(SB), Y8
	POLYNOMIAL(STEP1)
	FINISH(Y0, Y4, Y8)
	VMASKMOVPD Y8, Y1, (DI)
	ADDQ       $32, SI
	ADDQ       $32, DI
	SUBQ       $4, CX
	JGT        narrow

end:
	VZEROUPPER
	RET

#define MCONST(offset) VBROADCASTSD maternTable<>+offset(SB), Y15

// ROOT leaves the root r of 5x in a and -r in x.
#define ROOT(x, a) \
	MCONST(0)           \
	VMULPD  Y15, a, a   \
	VSQRTPD a, a        \
	MCONST(8)           \
	VMULPD  Y15, a, x

// VALUES replaces r by (1 + r + r²/3) e and p = e by 5/3 (1 + r) e. r²/3 is rounded as a division
// and no product is fused into another sum: see exp_avx512_amd64.s.
#define VALUES(r, p, t, q) \
	VMULPD       r, r, t   \
	MCONST(16)             \
	VMULPD       Y15, t, q \
	VBROADCASTSD maternTable<>+24(SB), Y14 \
	VFNMADD231PD Y14, q, t \
	VFMADD231PD  Y15, t, q \
	CONST(128)             \
	VADDPD       Y15, r, r \
	VADDPD       q, r, q   \
	MCONST(32)             \
	VMULPD       r, Y15, t \
	VMULPD       p, q, r   \
	VMULPD       p, t, p

// func maternAVX2(x, slope *float64, scale float64, n int)
TEXT ·maternAVX2(SB), NOSPLIT, $0-32
	MOVQ         x+0(FP), DI
	MOVQ         slope+8(FP), SI
	VBROADCASTSD scale+16(FP), Y12
	MOVQ         n+24(FP), CX
	SUBQ         $8, CX
	JLT          rest

wide:
	VMOVUPD (DI), Y2
	VMOVUPD 32(DI), Y3
	ROOT(Y4, Y2)
	ROOT(Y5, Y3)
	REDUCE(Y0, Y4)
	REDUCE(Y1, Y5)
	VBROADCASTSD expTable<>+40(SB), Y8
	VMOVAPD Y8, Y9
	POLYNOMIAL(STEP2)
	FINISH(Y0, Y4, Y8)
	FINISH(Y1, Y5, Y9)
	VALUES(Y2, Y8, Y0, Y4)
	VALUES(Y3, Y9, Y1, Y5)
	VMOVUPD Y2, (DI)
	VMOVUPD Y3, 32(DI)
	TESTQ   SI, SI
	JEQ     next
	VMOVUPD Y8, (SI)
	VMOVUPD Y9, 32(SI)
	ADDQ    $64, SI

next:
	ADDQ $64, DI
	SUBQ $8, CX
	JGE  wide

rest:
	ADDQ    $8, CX
	JEQ     end
	LEAQ    lanes<>+32(SB), BX
	VMOVUPD lanes<>+0(SB), Y1

narrow:
	CMPQ    CX, $4
	JGE     masked
	MOVQ    CX, AX
	NEGQ    AX
	VMOVUPD (BX)(AX*8), Y1

masked:
	VMASKMOVPD (DI), Y1, Y2
	ROOT(Y4, Y2)
	REDUCE(Y0, Y4)
	VBROADCASTSD expTable<>+40(SB), Y8
	POLYNOMIAL(STEP1)
	FINISH(Y0, Y4, Y8)
	VALUES(Y2, Y8, Y0, Y4)
	VMASKMOVPD Y2, Y1, (DI)
	TESTQ      SI, SI
	JEQ        narrowNext
	VMASKMOVPD Y8, Y1, (SI)
	ADDQ       $32, SI

narrowNext:
	ADDQ $32, DI
	SUBQ $4, CX
	JGT  narrow

end:
	VZEROUPPER
	RET
