package space

import "testing"

func TestEqual(t *testing.T) {
	text := "parameters:\n  x: {float: [0, 1]}\n  n: {int: [1, 3]}\nconstraints: [\"x + n <= 3\"]\n"
	one, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for other, want := range map[string]bool{
		text: true,
		"parameters:\n  x: {float: [0, 2]}\n  n: {int: [1, 3]}\nconstraints: [\"x + n <= 3\"]\n": false,
		"parameters:\n  x: {float: [0, 1]}\n  n: {int: [1, 3]}\n":                                false,
	} {
		s, err := Parse([]byte(other))
		if err != nil {
			t.Fatal(err)
		}
		if same, err := Equal(one, s); err != nil || same != want {
			t.Errorf("equal: %t, %v, want %t, to\n%s", same, err, want, other)
		}
	}
}
