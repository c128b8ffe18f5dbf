package web

import "testing"

func TestTargetsStayOnThisServer(t *testing.T) {
	for next, want := range map[string]string{
		"/studies/rig?page=2": "/studies/rig?page=2", "/": "/",
		"": "/", "rig": "/", "//evil.example": "/", "https://evil.example": "/", "/\\evil.example": "/", "/\t/evil.example": "/", "/\n/evil.example": "/",
	} {
		if got := local(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}
