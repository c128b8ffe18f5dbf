#include "textflag.h"
#include "neon_arm64.h"

// Products are not fused into the sums: the bytes are those of the portable loops.

// SQUARE adds (z - x)² to s, WEIGHTED w*(x - z)²; z is lost.
#define SQUARE(x, w, z, t, s) \
	FSUB(x, z, z) \
	FMUL(z, z, z) \
	FADD(z, s, s)

#define WEIGHTED(x, w, z, t, s) \
	FSUB(z, x, z) \
	FMUL(z, w, t) \
	FMUL(z, t, t) \
	FADD(t, s, s)

// Registers: R0 dst, R1 w, R2 x, R3 z, R4 bytes per row of z, R5 rows, R6 columns left; in a block of
// columns R7 and R8 are the next w and x, R9 the row of z, R10 the rows left.
#define ARGUMENTS \
	MOVD dst+0(FP), R0   \
	MOVD w+8(FP), R1     \
	MOVD x+16(FP), R2    \
	MOVD z+24(FP), R3    \
	MOVD ldz+32(FP), R4  \
	MOVD rows+40(FP), R5 \
	MOVD n+48(FP), R6    \
	LSL  $3, R4

#define FIRST \
	MOVD R1, R7  \
	MOVD R2, R8  \
	MOVD R3, R9  \
	MOVD R5, R10

#define NEXT(label) \
	ADD  R4, R9  \
	SUBS $1, R10 \
	BNE  label

#define ZERO4 \
	VEOR V0.B16, V0.B16, V0.B16 \
	VEOR V1.B16, V1.B16, V1.B16 \
	VEOR V2.B16, V2.B16, V2.B16 \
	VEOR V3.B16, V3.B16, V3.B16

// The coordinate of a row, V24, and its weight, V25, in both lanes.
#define COORDINATE \
	VLD1R.P 8(R8), [V24.D2]

#define WEIGHT \
	VLD1R.P 8(R7), [V25.D2]

#define BOTH \
	COORDINATE \
	WEIGHT

// BLOCKS goes through the columns, 8, 2 and 1 at a time. ROW loads what a row of z needs, SUM is one
// of the sums above. x0 to x3 are the registers of the coordinates.
#define BLOCKS(ROW, SUM, COLUMNS4, COLUMNS2, COLUMNS1, BEHIND, x0, x1, x2, x3) \
	SUBS    $8, R6                \
	BLT     rest                  \
wide:                             \
	ZERO4                         \
	COLUMNS4                      \
	FIRST                         \
wideRow:                          \
	ROW                           \
	FLDPQ   (R9), (F4, F5)        \
	FLDPQ   32(R9), (F6, F7)      \
	SUM(x0, 25, 4, 16, 0)         \
	SUM(x1, 25, 5, 17, 1)         \
	SUM(x2, 25, 6, 18, 2)         \
	SUM(x3, 25, 7, 19, 3)         \
	NEXT(wideRow)                 \
	FSTPQ.P (F0, F1), 32(R0)      \
	FSTPQ.P (F2, F3), 32(R0)      \
	ADD     $64, R3               \
	BEHIND(64)                    \
	SUBS    $8, R6                \
	BGE     wide                  \
rest:                             \
	ADDS    $6, R6                \
	BLT     tail                  \
narrow:                           \
	ZERO4                         \
	COLUMNS2                      \
	FIRST                         \
narrowRow:                        \
	ROW                           \
	FMOVQ   (R9), F4              \
	SUM(x0, 25, 4, 16, 0)         \
	NEXT(narrowRow)               \
	FMOVQ.P F0, 16(R0)            \
	ADD     $16, R3               \
	BEHIND(16)                    \
	SUBS    $2, R6                \
	BGE     narrow                \
tail:                             \
	TBZ     $0, R6, end           \
	ZERO4                         \
	COLUMNS1                      \
	FIRST                         \
tailRow:                          \
	ROW                           \
	FMOVD   (R9), F4              \
	SUM(x0, 25, 4, 16, 0)         \
	NEXT(tailRow)                 \
	FMOVD   F0, (R0)              \
end:                              \
	RET

#define NOTHING
#define STAY(bytes)
#define ALONG(bytes) ADD $bytes, R2

#define COORDINATES4 \
	FLDPQ (R2), (F20, F21)  \
	FLDPQ 32(R2), (F22, F23)

#define COORDINATES2 FMOVQ (R2), F20
#define COORDINATES1 FMOVD (R2), F20

// func rowSquaresNEON(dst, w, x, z *float64, ldz, rows, n int)
TEXT ·rowSquaresNEON(SB), NOSPLIT, $0-56
	ARGUMENTS
	BLOCKS(BOTH, WEIGHTED, NOTHING, NOTHING, NOTHING, STAY, 24, 24, 24, 24)

// func columnSquaresNEON(dst, w, x, z *float64, ldz, rows, n int)
TEXT ·columnSquaresNEON(SB), NOSPLIT, $0-56
	ARGUMENTS
	BLOCKS(WEIGHT, WEIGHTED, COORDINATES4, COORDINATES2, COORDINATES1, ALONG, 20, 21, 22, 23)

// func columnDistancesNEON(dst, x, z *float64, ldz, d, n int)
TEXT ·columnDistancesNEON(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R2
	MOVD z+16(FP), R3
	MOVD ldz+24(FP), R4
	MOVD d+32(FP), R5
	MOVD n+40(FP), R6
	LSL  $3, R4
	BLOCKS(COORDINATE, SQUARE, NOTHING, NOTHING, NOTHING, STAY, 24, 24, 24, 24)
