#include "textflag.h"
#include "lanes_avx2_amd64.h"
#include "exp_amd64.h"

// A vector in flight: x (argument, then its mask), n, r, p. Y15 is a constant.
#define CONST(offset) VBROADCASTSD expTable<>+offset(SB), Y15

// REDUCE takes rate*x in x. Adding 1.5*2^52 + 2046 rounds x/log 2 to the integer n and leaves
// n + 2046 in the low bits.
#define REDUCE(x, n, r) \
	CONST(0)                \
	VMINPD       x, Y15, x  \
	CONST(16)               \
	VMULPD       Y15, x, n  \
	CONST(136)              \
	VADDPD       Y15, n, n  \
	VSUBPD       Y15, n, r  \
	CONST(24)               \
	VFNMADD213PD x, r, Y15  \
	VBROADCASTSD expTable<>+32(SB), Y12 \
	VFNMADD213PD Y15, Y12, r \
	CONST(8)                \
	VCMPPD       $17, Y15, x, x

// FINISH multiplies by 2^n in two exact steps, since 2^1024 is no float64: with h = n/2 rounded
// down, the exponents h + 1023 and n - h + 1023.
#define FINISH(x, n, r, p, scale) \
	VMULPD      r, r, Y15    \
	VFMADD213PD r, Y15, p    \
	CONST(128)               \
	VADDPD      Y15, p, p    \
	VPSRLQ      $1, n, r     \
	VPSUBQ      r, n, n      \
	VPSLLQ      $52, r, r    \
	VPSLLQ      $52, n, n    \
	VMULPD      r, p, p      \
	VMULPD      n, p, p      \
	VANDNPD     p, x, p      \
	VMULPD      scale, p, p

#define STEP3(offset) \
	CONST(offset)             \
	VFMADD213PD Y15, Y6, Y9   \
	VFMADD213PD Y15, Y7, Y10  \
	VFMADD213PD Y15, Y8, Y11

#define STEP2(offset) \
	CONST(offset)             \
	VFMADD213PD Y15, Y6, Y9   \
	VFMADD213PD Y15, Y7, Y10

#define STEP1(offset) \
	CONST(offset)             \
	VFMADD213PD Y15, Y6, Y9

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
	VBROADCASTSD scale+8(FP), Y13
	VBROADCASTSD rate+16(FP), Y14
	MOVQ         src+24(FP), SI
	MOVQ         n+32(FP), CX
	SUBQ         $12, CX
	JLT          rest

wide:
	VMULPD (SI), Y14, Y0
	VMULPD 32(SI), Y14, Y1
	VMULPD 64(SI), Y14, Y2
	REDUCE(Y0, Y3, Y6)
	REDUCE(Y1, Y4, Y7)
	REDUCE(Y2, Y5, Y8)
	VBROADCASTSD expTable<>+40(SB), Y9
	VMOVAPD Y9, Y10
	VMOVAPD Y9, Y11
	POLYNOMIAL(STEP3)
	FINISH(Y0, Y3, Y6, Y9, Y13)
	FINISH(Y1, Y4, Y7, Y10, Y13)
	FINISH(Y2, Y5, Y8, Y11, Y13)
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
	LEAQ    lanes<>+32(SB), BX
	VMOVUPD lanes<>+0(SB), Y1

narrow:
	CMPQ    CX, $4
	JGE     masked
	MOVQ    CX, AX
	NEGQ    AX
	VMOVUPD (BX)(AX*8), Y1

masked:
	VMASKMOVPD (SI), Y1, Y0
	VMULPD     Y14, Y0, Y0
	REDUCE(Y0, Y3, Y6)
	VBROADCASTSD expTable<>+40(SB), Y9
	POLYNOMIAL(STEP1)
	FINISH(Y0, Y3, Y6, Y9, Y13)
	VMASKMOVPD Y9, Y1, (DI)
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
	VBROADCASTSD maternTable<>+24(SB), Y12 \
	VFNMADD231PD Y12, q, t \
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
	VBROADCASTSD scale+16(FP), Y13
	MOVQ         n+24(FP), CX
	SUBQ         $8, CX
	JLT          rest

wide:
	VMOVUPD (DI), Y2
	VMOVUPD 32(DI), Y5
	ROOT(Y0, Y2)
	ROOT(Y1, Y5)
	REDUCE(Y0, Y3, Y6)
	REDUCE(Y1, Y4, Y7)
	VBROADCASTSD expTable<>+40(SB), Y9
	VMOVAPD Y9, Y10
	POLYNOMIAL(STEP2)
	FINISH(Y0, Y3, Y6, Y9, Y13)
	FINISH(Y1, Y4, Y7, Y10, Y13)
	VALUES(Y2, Y9, Y0, Y3)
	VALUES(Y5, Y10, Y1, Y4)
	VMOVUPD Y2, (DI)
	VMOVUPD Y5, 32(DI)
	TESTQ   SI, SI
	JEQ     next
	VMOVUPD Y9, (SI)
	VMOVUPD Y10, 32(SI)
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
	ROOT(Y0, Y2)
	REDUCE(Y0, Y3, Y6)
	VBROADCASTSD expTable<>+40(SB), Y9
	POLYNOMIAL(STEP1)
	FINISH(Y0, Y3, Y6, Y9, Y13)
	VALUES(Y2, Y9, Y0, Y3)
	VMASKMOVPD Y2, Y1, (DI)
	TESTQ      SI, SI
	JEQ        narrowNext
	VMASKMOVPD Y9, Y1, (SI)
	ADDQ       $32, SI

narrowNext:
	ADDQ $32, DI
	SUBQ $4, CX
	JGT  narrow

end:
	VZEROUPPER
	RET
