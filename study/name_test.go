package study

import (
	"strings"
	"testing"
)

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "9": true, "rig-2_b.c": true, "größe": true, "試験": true, "½": true, strings.Repeat("é", 128): true,
		"": false, "-a": false, ".a": false, "_": false, "a b": false, "a/b": false, "a\x00": false, "a\xff": false, "e\u0301": false,
		strings.Repeat("é", 129): false,
	} {
		if validName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
