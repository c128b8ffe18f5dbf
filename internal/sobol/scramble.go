package sobol

import "math/rand/v2"

// scramble holds one random matrix L_j for each dimension and the direction
// numbers L_j v[c][j] made so far.
type scramble struct {
	// column[b][j] is the column of L_j that bit b of a word selects. Bit 31 is
	// the first binary digit, so lower-triangular with unit diagonal means that
	// bit b is set and all higher bits are clear.
	column [wordBits][]uint32
	v      [wordBits][]uint32 // nil where not needed yet
}

func newScramble(dim int, r *rand.Rand) *scramble {
	s := new(scramble)
	words := make([]uint32, wordBits*dim)
	fillBits(words, r)
	for b := range s.column {
		col := words[b*dim : (b+1)*dim : (b+1)*dim]
		diagonal := uint32(1) << b
		for j := range col {
			col[j] = col[j]&(diagonal-1) | diagonal
		}
		s.column[b] = col
	}
	return s
}

// directions returns the scrambled form of plain = v[c].
func (s *scramble) directions(c int, plain []uint32) []uint32 {
	if s.v[c] == nil {
		s.v[c] = make([]uint32, len(plain))
		// v[c] is a multiple of 2^(31-c): lower bits select nothing.
		for b := wordBits - 1 - c; b < wordBits; b++ {
			xorSelected(s.v[c], s.column[b], plain, b)
		}
	}
	return s.v[c]
}

// xorSelected does dst ^= col where bit b of word is set, without branches.
func xorSelected(dst, col, word []uint32, b int) {
	col, word = col[:len(dst)], word[:len(dst)]
	for j := range dst {
		dst[j] ^= col[j] & -(word[j] >> (b & 31) & 1)
	}
}

// fillBits fills dst with random words.
func fillBits(dst []uint32, r *rand.Rand) {
	i := 0
	for ; i+1 < len(dst); i += 2 {
		w := r.Uint64()
		dst[i], dst[i+1] = uint32(w), uint32(w>>32)
	}
	if i < len(dst) {
		dst[i] = r.Uint32()
	}
}
