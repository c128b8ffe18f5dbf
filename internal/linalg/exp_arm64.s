#include "textflag.h"
#include "neon_arm64.h"

// exp(x) = 2^n * exp(r) as in exp_amd64.h. FMLA adds to its destination, so that every step of the
// polynomial begins with a copy of a coefficient: it comes from memory, two vectors at a time.
DATA expTable<>+0(SB)/8, $0x4086300000000000 // largest argument
DATA expTable<>+8(SB)/8, $0xc086232bdd7abcd2 // smallest argument
DATA expTable<>+16(SB)/8, $0x3ff71547652b82fe // 1/log 2
DATA expTable<>+24(SB)/8, $0x3fe62e42fefa3800 // log 2, first 42 bits
DATA expTable<>+32(SB)/8, $0x3d2ef35793c76730 // log 2, rest
DATA expTable<>+40(SB)/8, $0x3e21f66df7fca49f // r^12
DATA expTable<>+48(SB)/8, $0x3ff0000000000000 // 1, r
DATA expTable<>+56(SB)/8, $0x4014000000000000 // 5
DATA expTable<>+64(SB)/8, $0xbff0000000000000 // -1
DATA expTable<>+72(SB)/8, $0x3fd5555555555555 // 1/3
DATA expTable<>+80(SB)/8, $0x4008000000000000 // 3
DATA expTable<>+88(SB)/8, $0x3ffaaaaaaaaaaaab // 5/3
GLOBL expTable<>(SB), RODATA|NOPTR, $96

#define FOUR(offset, value) \
	DATA expSteps<>+(offset)(SB)/8, value    \
	DATA expSteps<>+(offset+8)(SB)/8, value  \
	DATA expSteps<>+(offset+16)(SB)/8, value \
	DATA expSteps<>+(offset+24)(SB)/8, value

FOUR(0, $0x3e5af38a9b0ec855) // r^11
FOUR(32, $0x3e927e4e1f48534f) // r^10
FOUR(64, $0x3ec71de0dae63bb3) // r^9
FOUR(96, $0x3efa01a01a47b054) // r^8
FOUR(128, $0x3f2a01a01a7c41d5) // r^7
FOUR(160, $0x3f56c16c16c167e1) // r^6
FOUR(192, $0x3f811111111109b3) // r^5
FOUR(224, $0x3fa5555555555555) // r^4
FOUR(256, $0x3fc5555555555556) // r^3
FOUR(288, $0x3fe0000000000000) // r^2
GLOBL expSteps<>(SB), RODATA|NOPTR, $320

// Constants: V31 rate, V30 scale, V29 largest, V28 smallest argument, V27 1/log 2, V26 and V25
// log 2, V24 one, V23 r^12; R5 the other coefficients.
#define EXP_CONSTANTS \
	MOVD  $expTable<>(SB), R5 \
	VLD1R (R5), [V29.D2]      \
	ADD   $8, R5              \
	VLD1R (R5), [V28.D2]      \
	ADD   $8, R5              \
	VLD1R (R5), [V27.D2]      \
	ADD   $8, R5              \
	VLD1R (R5), [V26.D2]      \
	ADD   $8, R5              \
	VLD1R (R5), [V25.D2]      \
	ADD   $8, R5              \
	VLD1R (R5), [V23.D2]      \
	ADD   $8, R5              \
	VLD1R (R5), [V24.D2]      \
	MOVD  $expSteps<>(SB), R5

// A vector in flight: x (argument, then its mask), k = n as an integer, r; t is lost.
#define REDUCE(x, k, r, t) \
	FMUL(31, x, x)   \
	FMIN(29, x, r)   \
	FMUL(27, r, t)   \
	FCVTNS(t, k)     \
	SCVTF(k, t)      \
	FMLS(26, t, r)   \
	FMLS(25, t, r)   \
	FCMGT(x, 28, x)

// FINISH takes the polynomial p and leaves scale*exp(x) there. 2^n is multiplied in two exact
// steps, since 2^1024 is no float64: with h = n/2 rounded down, h is added to the exponent.
#define FINISH(x, k, r, p, t) \
	FMUL(r, r, t)    \
	FMLA(p, t, r)    \
	FADD(24, r, p)   \
	HALVE(k, t)      \
	ISUB(t, k, k)    \
	EXPONENT(t, t)   \
	EXPONENT(k, k)   \
	IADD(t, p, p)    \
	IADD(24, k, k)   \
	FMUL(k, p, p)    \
	BIC(x, p, p)     \
	FMUL(30, p, p)

#define START4(offset) \
	FLDPQ offset(R5), (F12, F13) \
	FLDPQ offset(R5), (F14, F15) \
	FMLA(23, 8, 12)  \
	FMLA(23, 9, 13)  \
	FMLA(23, 10, 14) \
	FMLA(23, 11, 15)

// ODD4 and EVEN4 make the next polynomials of r in V8-V11 from those in V12-V15 and V16-V19.
#define ODD4(offset) \
	FLDPQ offset(R5), (F16, F17) \
	FLDPQ offset(R5), (F18, F19) \
	FMLA(12, 8, 16)  \
	FMLA(13, 9, 17)  \
	FMLA(14, 10, 18) \
	FMLA(15, 11, 19)

#define EVEN4(offset) \
	FLDPQ offset(R5), (F12, F13) \
	FLDPQ offset(R5), (F14, F15) \
	FMLA(16, 8, 12)  \
	FMLA(17, 9, 13)  \
	FMLA(18, 10, 14) \
	FMLA(19, 11, 15)

#define START2(offset) \
	FLDPQ offset(R5), (F12, F13) \
	FMLA(23, 8, 12)  \
	FMLA(23, 9, 13)

#define ODD2(offset) \
	FLDPQ offset(R5), (F16, F17) \
	FMLA(12, 8, 16)  \
	FMLA(13, 9, 17)

#define EVEN2(offset) \
	FLDPQ offset(R5), (F12, F13) \
	FMLA(16, 8, 12)  \
	FMLA(17, 9, 13)

#define START1(offset) \
	FMOVQ offset(R5), F12 \
	FMLA(23, 8, 12)

#define ODD1(offset) \
	FMOVQ offset(R5), F16 \
	FMLA(12, 8, 16)

#define EVEN1(offset) \
	FMOVQ offset(R5), F12 \
	FMLA(16, 8, 12)

// The result is in V16 and those behind it.
#define POLYNOMIAL(START, ODD, EVEN) \
	START(0)  \
	ODD(32)   \
	EVEN(64)  \
	ODD(96)   \
	EVEN(128) \
	ODD(160)  \
	EVEN(192) \
	ODD(224)  \
	EVEN(256) \
	ODD(288)

#define EXP1 \
	REDUCE(0, 4, 8, 12)            \
	POLYNOMIAL(START1, ODD1, EVEN1) \
	FINISH(0, 4, 8, 16, 12)

// func expNEON(dst *float64, scale, rate float64, src *float64, n int)
TEXT ·expNEON(SB), NOSPLIT, $0-40
	MOVD  dst+0(FP), R0
	FMOVD scale+8(FP), F30
	FMOVD rate+16(FP), F31
	MOVD  src+24(FP), R1
	MOVD  n+32(FP), R2
	VDUP  V30.D[0], V30.D2
	VDUP  V31.D[0], V31.D2
	EXP_CONSTANTS
	SUBS  $8, R2
	BLT   rest

wide:
	FLDPQ.P 32(R1), (F0, F1)
	FLDPQ.P 32(R1), (F2, F3)
	REDUCE(0, 4, 8, 12)
	REDUCE(1, 5, 9, 13)
	REDUCE(2, 6, 10, 14)
	REDUCE(3, 7, 11, 15)
	POLYNOMIAL(START4, ODD4, EVEN4)
	FINISH(0, 4, 8, 16, 12)
	FINISH(1, 5, 9, 17, 13)
	FINISH(2, 6, 10, 18, 14)
	FINISH(3, 7, 11, 19, 15)
	FSTPQ.P (F16, F17), 32(R0)
	FSTPQ.P (F18, F19), 32(R0)
	SUBS    $8, R2
	BGE     wide

rest:
	ADDS $6, R2
	BLT  tail

narrow:
	FMOVQ.P 16(R1), F0
	EXP1
	FMOVQ.P F16, 16(R0)
	SUBS    $2, R2
	BGE     narrow

tail:
	TBZ   $0, R2, end
	FMOVD (R1), F0
	EXP1
	FMOVD F16, (R0)

end:
	RET

// Constants of the Matérn kernel: V22 5, V31 -1 (the rate), V21 1/3, V20 3, V19 5/3.
#define MATERN_CONSTANTS \
	MOVD  $expTable<>+56(SB), R5 \
	VLD1R (R5), [V22.D2]         \
	ADD   $8, R5                 \
	VLD1R (R5), [V31.D2]         \
	ADD   $8, R5                 \
	VLD1R (R5), [V21.D2]         \
	ADD   $8, R5                 \
	VLD1R (R5), [V20.D2]         \
	ADD   $8, R5                 \
	VLD1R (R5), [V19.D2]

// ROOT replaces a by the root r of 5a and copies it to x.
#define ROOT(x, a) \
	FMUL(22, a, a) \
	FSQRT(a, a)    \
	FADD(18, a, x)

// VALUES replaces r by (1 + r + r²/3) e and p = e by 5/3 (1 + r) e. r²/3 is rounded as a division
// and no product is fused into another sum: see exp_avx512_amd64.s.
#define VALUES(r, p, t, q) \
	FMUL(r, r, t)  \
	FMUL(21, t, q) \
	FMLS(20, q, t) \
	FMLA(21, t, q) \
	FADD(24, r, r) \
	FADD(q, r, q)  \
	FMUL(19, r, t) \
	FMUL(p, q, r)  \
	FMUL(p, t, p)

#define MATERN1 \
	ROOT(0, 2) \
	EXP1       \
	VALUES(2, 16, 12, 0)

// func maternNEON(x, slope *float64, scale float64, n int)
TEXT ·maternNEON(SB), NOSPLIT, $0-32
	MOVD  x+0(FP), R0
	MOVD  slope+8(FP), R1
	FMOVD scale+16(FP), F30
	MOVD  n+24(FP), R2
	VDUP  V30.D[0], V30.D2
	MATERN_CONSTANTS
	EXP_CONSTANTS
	VEOR  V18.B16, V18.B16, V18.B16
	SUBS  $4, R2
	BLT   rest

wide:
	FLDPQ   (R0), (F2, F3)
	ROOT(0, 2)
	ROOT(1, 3)
	REDUCE(0, 4, 8, 12)
	REDUCE(1, 5, 9, 13)
	POLYNOMIAL(START2, ODD2, EVEN2)
	FINISH(0, 4, 8, 16, 12)
	FINISH(1, 5, 9, 17, 13)
	VALUES(2, 16, 12, 0)
	VALUES(3, 17, 13, 1)
	FSTPQ.P (F2, F3), 32(R0)
	CBZ     R1, next
	FSTPQ.P (F16, F17), 32(R1)

next:
	SUBS $4, R2
	BGE  wide

rest:
	TBZ     $1, R2, tail
	FMOVQ   (R0), F2
	MATERN1
	FMOVQ.P F2, 16(R0)
	CBZ     R1, tail
	FMOVQ.P F16, 16(R1)

tail:
	TBZ   $0, R2, end
	FMOVD (R0), F2
	MATERN1
	FMOVD F2, (R0)
	CBZ   R1, end
	FMOVD F16, (R1)

end:
	RET
