#include "textflag.h"
#include "exp_amd64.h"

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

#define EXP_CONSTANTS \
	VBROADCASTSD expTable<>+0(SB), Z29 \
	VBROADCASTSD expTable<>+8(SB), Z28 \
	VBROADCASTSD expTable<>+16(SB), Z27 \
	VBROADCASTSD expTable<>+24(SB), Z26 \
	VBROADCASTSD expTable<>+32(SB), Z25 \
	VBROADCASTSD expTable<>+40(SB), Z24 \
	VBROADCASTSD expTable<>+48(SB), Z23 \
	VBROADCASTSD expTable<>+56(SB), Z22 \
	VBROADCASTSD expTable<>+64(SB), Z21 \
	VBROADCASTSD expTable<>+72(SB), Z20 \
	VBROADCASTSD expTable<>+80(SB), Z19 \
	VBROADCASTSD expTable<>+88(SB), Z18 \
	VBROADCASTSD expTable<>+96(SB), Z17 \
	VBROADCASTSD expTable<>+104(SB), Z16 \
	VBROADCASTSD expTable<>+112(SB), Z15 \
	VBROADCASTSD expTable<>+120(SB), Z14 \
	VBROADCASTSD expTable<>+128(SB), Z13

// func expAVX512(dst *float64, scale, rate float64, src *float64, n int)
TEXT ·expAVX512(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	VBROADCASTSD scale+8(FP), Z30
	VBROADCASTSD rate+16(FP), Z31
	MOVQ         src+24(FP), SI
	MOVQ         n+32(FP), CX
	EXP_CONSTANTS
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

// The roots keep the divider busy while other vectors are in the exponential.
#define ROOT(r, a) \
	VMULPD.BCST maternTable<>+0(SB), r, r \
	VSQRTPD     r, r                      \
	VMOVAPD     r, a

// r²/3 is rounded as a division: with y = 1/3 rounded and q = r² y, the remainder
// r² - 3q is exact and q + (r² - 3q) y correct (Markstein 1990). Products are not fused into
// the other sums: the bytes are those of the portable loop.
#define THIRD(r, t, q) \
	VMULPD       r, r, t   \
	VMULPD       Z10, t, q \
	VFNMADD231PD Z11, q, t \
	VFMADD231PD  Z10, t, q

// VALUES replaces r by (1 + r + r²/3) e and q by 5/3 (1 + r) e; e is in p.
#define VALUES(r, q, p) \
	VADDPD Z13, r, r  \
	VADDPD q, r, q    \
	VMULPD r, Z12, r  \
	VMULPD p, r, r    \
	VMULPD p, q, q

// func maternAVX512(x, slope *float64, scale float64, n int)
TEXT ·maternAVX512(SB), NOSPLIT, $0-32
	MOVQ         x+0(FP), DI
	MOVQ         slope+8(FP), SI
	VBROADCASTSD scale+16(FP), Z30
	MOVQ         n+24(FP), CX
	VBROADCASTSD maternTable<>+8(SB), Z31
	VBROADCASTSD maternTable<>+16(SB), Z10
	VBROADCASTSD maternTable<>+24(SB), Z11
	VBROADCASTSD maternTable<>+32(SB), Z12
	EXP_CONSTANTS
	MOVL         $255, AX

group:
	CMPQ CX, $8
	JGE  masked
	MOVL $1, AX
	SHLL CX, AX
	DECL AX

masked:
	KMOVW     AX, K5
	VMOVUPD.Z (DI), K5, Z1
	ROOT(Z1, Z0)
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
	FINISH(Z0, Z4, Z8, Z5, K1)
	THIRD(Z1, Z2, Z3)
	VALUES(Z1, Z3, Z8)
	VMOVUPD   Z3, K5, (DI)
	TESTQ     SI, SI
	JEQ       next
	VMOVUPD   Z1, K5, (SI)
	ADDQ      $64, SI

next:
	ADDQ $64, DI
	SUBQ $8, CX
	JGT  group
	VZEROUPPER
	RET
