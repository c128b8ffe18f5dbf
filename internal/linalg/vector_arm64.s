#include "textflag.h"
#include "neon_arm64.h"

// func dotNEON(x, y *float64, n int) float64
TEXT ·dotNEON(SB), NOSPLIT, $0-32
	MOVD x+0(FP), R0
	MOVD y+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	SUBS $16, R2
	BLT  rest

wide:
	FLDPQ.P 32(R0), (F16, F17)
	FLDPQ.P 32(R0), (F18, F19)
	FLDPQ.P 32(R0), (F20, F21)
	FLDPQ.P 32(R0), (F22, F23)
	FLDPQ.P 32(R1), (F24, F25)
	FLDPQ.P 32(R1), (F26, F27)
	FLDPQ.P 32(R1), (F28, F29)
	FLDPQ.P 32(R1), (F30, F31)
	FMLA(24, 16, 0)
	FMLA(25, 17, 1)
	FMLA(26, 18, 2)
	FMLA(27, 19, 3)
	FMLA(28, 20, 4)
	FMLA(29, 21, 5)
	FMLA(30, 22, 6)
	FMLA(31, 23, 7)
	SUBS    $16, R2
	BGE     wide

rest:
	ADDS $14, R2
	BLT  tail

narrow:
	FMOVQ.P 16(R0), F16
	FMOVQ.P 16(R1), F24
	FMLA(24, 16, 0)
	SUBS    $2, R2
	BGE     narrow

tail:
	TBZ   $0, R2, sum
	FMOVD (R0), F16
	FMOVD (R1), F24
	FMLA(24, 16, 1)

sum:
	FADD(4, 0, 0)
	FADD(5, 1, 1)
	FADD(6, 2, 2)
	FADD(7, 3, 3)
	FADD(2, 0, 0)
	FADD(3, 1, 1)
	FADD(1, 0, 0)
	VDUP  V0.D[1], V1.D2
	FADDD F1, F0, F0
	FMOVD F0, ret+24(FP)
	RET

// func axpyNEON(y *float64, alpha float64, x *float64, n int)
TEXT ·axpyNEON(SB), NOSPLIT, $0-32
	MOVD  y+0(FP), R0
	FMOVD alpha+8(FP), F31
	MOVD  x+16(FP), R1
	MOVD  n+24(FP), R2
	SUBS  $8, R2
	BLT   rest

wide:
	FLDPQ   (R0), (F0, F1)
	FLDPQ   32(R0), (F2, F3)
	FLDPQ.P 32(R1), (F4, F5)
	FLDPQ.P 32(R1), (F6, F7)
	FMLAE(31, 0, 4, 0)
	FMLAE(31, 0, 5, 1)
	FMLAE(31, 0, 6, 2)
	FMLAE(31, 0, 7, 3)
	FSTPQ.P (F0, F1), 32(R0)
	FSTPQ.P (F2, F3), 32(R0)
	SUBS    $8, R2
	BGE     wide

rest:
	ADDS $6, R2
	BLT  tail

narrow:
	FMOVQ   (R0), F0
	FMOVQ.P 16(R1), F4
	FMLAE(31, 0, 4, 0)
	FMOVQ.P F0, 16(R0)
	SUBS    $2, R2
	BGE     narrow

tail:
	TBZ   $0, R2, end
	FMOVD (R0), F0
	FMOVD (R1), F4
	FMLAE(31, 0, 4, 0)
	FMOVD F0, (R0)

end:
	RET

// func addProductsNEON(dst, x, y *float64, n int)
TEXT ·addProductsNEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R3
	MOVD n+24(FP), R2
	SUBS $8, R2
	BLT  rest

wide:
	FLDPQ   (R0), (F0, F1)
	FLDPQ   32(R0), (F2, F3)
	FLDPQ.P 32(R1), (F4, F5)
	FLDPQ.P 32(R1), (F6, F7)
	FLDPQ.P 32(R3), (F16, F17)
	FLDPQ.P 32(R3), (F18, F19)
	FMLA(16, 4, 0)
	FMLA(17, 5, 1)
	FMLA(18, 6, 2)
	FMLA(19, 7, 3)
	FSTPQ.P (F0, F1), 32(R0)
	FSTPQ.P (F2, F3), 32(R0)
	SUBS    $8, R2
	BGE     wide

rest:
	ADDS $6, R2
	BLT  tail

narrow:
	FMOVQ   (R0), F0
	FMOVQ.P 16(R1), F4
	FMOVQ.P 16(R3), F16
	FMLA(16, 4, 0)
	FMOVQ.P F0, 16(R0)
	SUBS    $2, R2
	BGE     narrow

tail:
	TBZ   $0, R2, end
	FMOVD (R0), F0
	FMOVD (R1), F4
	FMOVD (R3), F16
	FMLA(16, 4, 0)
	FMOVD F0, (R0)

end:
	RET

// func addClampNEON(dst *float64, shift float64, y *float64, n int)
TEXT ·addClampNEON(SB), NOSPLIT, $0-32
	MOVD  dst+0(FP), R0
	FMOVD shift+8(FP), F31
	MOVD  y+16(FP), R1
	MOVD  n+24(FP), R2
	VDUP  V31.D[0], V31.D2
	VEOR  V30.B16, V30.B16, V30.B16
	SUBS  $2, R2
	BLT   tail

wide:
	FMOVQ   (R0), F0
	FMOVQ.P 16(R1), F1
	FADD(1, 31, 1)
	FADD(1, 0, 0)
	FMAX(30, 0, 0)
	FMOVQ.P F0, 16(R0)
	SUBS    $2, R2
	BGE     wide

tail:
	TBZ   $0, R2, end
	FMOVD (R0), F0
	FMOVD (R1), F1
	FADD(1, 31, 1)
	FADD(1, 0, 0)
	FMAX(30, 0, 0)
	FMOVD F0, (R0)

end:
	RET
