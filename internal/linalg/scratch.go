package linalg

import (
	"sync"
	"unsafe"
)

// cacheLine is the alignment of scratch memory in float64s.
const cacheLine = 8

// scratch is a reusable buffer; its content is arbitrary when taken. The
// descriptors of the factorisations live here so that a call allocates nothing.
type scratch struct {
	buf   []float64
	upper upperFactor
	lower lowerInverse
	queue queue
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

func getScratch() *scratch { return scratchPool.Get().(*scratch) }

// release returns the scratch to the pool without the caller's memory.
func (s *scratch) release() {
	s.lower.l = Matrix{}
	scratchPool.Put(s)
}

// take returns n float64s that start on a cache line. A second call on the
// same scratch invalidates the first slice.
func (s *scratch) take(n int) []float64 {
	if len(s.buf) < n+cacheLine {
		s.buf = make([]float64, n+n/8+cacheLine)
	}
	shift := int(-uintptr(unsafe.Pointer(&s.buf[0]))%(8*cacheLine)) / 8
	return s.buf[shift : shift+n : shift+n]
}
