#include "textflag.h"
#include "neon_arm64.h"

// V31 shift, V30 floor; a NaN stays.
#define CLAMP(v) \
	FADD(31, v, v) \
	FMAX(30, v, v)

// FIRST begins with the first row; ROW sets R10 to the next one and V29 to its coefficient.
#define FIRST \
	MOVD R3, R7 \
	MOVD R4, R8 \
	MOVD R5, R9

#define ROW \
	MOVD.P  8(R8), R10   \
	FMOVD.P 8(R7), F29   \
	MADD    R11, R6, R10, R10

#define BASE4(offset, v0, v1, v2, v3) \
	FLDPQ offset(R1), (v0, v1) \
	FLDPQ offset+32(R1), (v2, v3)

#define ADD4(offset, c) \
	FLDPQ offset(R10), (F16, F17)    \
	FLDPQ offset+32(R10), (F18, F19) \
	FMLAE(29, 0, 16, c)              \
	FMLAE(29, 0, 17, c+1)            \
	FMLAE(29, 0, 18, c+2)            \
	FMLAE(29, 0, 19, c+3)

#define CLAMP4(c) \
	CLAMP(c)   \
	CLAMP(c+1) \
	CLAMP(c+2) \
	CLAMP(c+3)

#define PUT4(v0, v1, v2, v3) \
	FSTPQ.P (v0, v1), 32(R0) \
	FSTPQ.P (v2, v3), 32(R0)

// ADVANCE goes to the columns behind a block.
#define ADVANCE(bytes) \
	ADD $bytes, R1 \
	ADD $bytes, R6

// func addRowsNEON(dst, base *float64, n int, coef *float64, index *int, count int, rows *float64, ld int, shift, floor float64)
//
// 24 elements of dst stay in registers while all rows are added, then 8, then 2.
TEXT ·addRowsNEON(SB), NOSPLIT, $0-80
	MOVD  dst+0(FP), R0
	MOVD  base+8(FP), R1
	MOVD  n+16(FP), R2
	MOVD  coef+24(FP), R3
	MOVD  index+32(FP), R4
	MOVD  count+40(FP), R5
	MOVD  rows+48(FP), R6
	MOVD  ld+56(FP), R11
	FMOVD shift+64(FP), F31
	FMOVD floor+72(FP), F30
	VDUP  V31.D[0], V31.D2
	VDUP  V30.D[0], V30.D2
	LSL   $3, R11
	SUBS  $24, R2
	BLT   rest

wide:
	BASE4(0, F0, F1, F2, F3)
	BASE4(64, F4, F5, F6, F7)
	BASE4(128, F8, F9, F10, F11)
	FIRST
	CBZ  R9, wideEnd

wideRow:
	ROW
	ADD4(0, 0)
	ADD4(64, 4)
	ADD4(128, 8)
	SUBS $1, R9
	BNE  wideRow

wideEnd:
	CLAMP4(0)
	CLAMP4(4)
	CLAMP4(8)
	PUT4(F0, F1, F2, F3)
	PUT4(F4, F5, F6, F7)
	PUT4(F8, F9, F10, F11)
	ADVANCE(192)
	SUBS $24, R2
	BGE  wide

rest:
	ADDS $16, R2
	BLT  last

middle:
	BASE4(0, F0, F1, F2, F3)
	FIRST
	CBZ  R9, middleEnd

middleRow:
	ROW
	ADD4(0, 0)
	SUBS $1, R9
	BNE  middleRow

middleEnd:
	CLAMP4(0)
	PUT4(F0, F1, F2, F3)
	ADVANCE(64)
	SUBS $8, R2
	BGE  middle

last:
	ADDS $6, R2
	BLT  tail

narrow:
	FMOVQ (R1), F0
	FIRST
	CBZ   R9, narrowEnd

narrowRow:
	ROW
	FMOVQ (R10), F16
	FMLAE(29, 0, 16, 0)
	SUBS  $1, R9
	BNE   narrowRow

narrowEnd:
	CLAMP(0)
	FMOVQ.P F0, 16(R0)
	ADVANCE(16)
	SUBS    $2, R2
	BGE     narrow

tail:
	TBZ   $0, R2, end
	FMOVD (R1), F0
	FIRST
	CBZ   R9, tailEnd

tailRow:
	ROW
	FMOVD (R10), F16
	FMLAE(29, 0, 16, 0)
	SUBS  $1, R9
	BNE   tailRow

tailEnd:
	CLAMP(0)
	FMOVD F0, (R0)

end:
	RET
