package study

// sketch says of a key that no trial has that this is so, but for one of some thousand, and
// never of one that a trial has: a Bloom filter. A snapshot has it, so that a new trial can be
// added without reading the keys of all others.
type sketch []byte

const (
	sketchBytes = 3 // for each key
	sketchBits  = 8 // that a key sets
)

func newSketch(keys int) sketch { return make(sketch, sketchBytes*(keys+mostParams)) }

// each calls do with the places of a key's bits until it returns false.
func (s sketch) each(key string, do func(at uint64) bool) bool {
	hash := uint64(14695981039346656037) // FNV-1a
	for i := range len(key) {
		hash = (hash ^ uint64(key[i])) * 1099511628211
	}
	hash ^= hash >> 32
	step := hash*0x9e3779b97f4a7c15 | 1
	for range sketchBits {
		if !do(hash % (8 * uint64(len(s)))) {
			return false
		}
		hash += step
		step ^= step >> 29
	}
	return true
}

func (s sketch) add(key string) {
	s.each(key, func(at uint64) bool {
		s[at/8] |= 1 << (at % 8)
		return true
	})
}

// maybe is false when the key was not added.
func (s sketch) maybe(key string) bool {
	return s.each(key, func(at uint64) bool { return s[at/8]&(1<<(at%8)) != 0 })
}

// sketch returns that of all trials, also of those that are not in memory.
func (l *ledger) sketch() sketch {
	s := newSketch(l.trials.len())
	if known := l.keys.known; !l.trials.whole() && len(known) > 0 && 2*len(known) > len(s) {
		s = append(sketch{}, known...)
		for e := range l.trials.loaded() {
			s.add(e.key)
		}
		return s
	}
	for e := range l.trials.all() {
		s.add(e.key)
	}
	return s
}
