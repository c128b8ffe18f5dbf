package command

import (
	"bytes"
	"strings"
)

// maxLine bounds the last line of standard output.
const maxLine = 1 << 20

// lastLine is a writer that keeps the last non-empty line, at most maxLine bytes of it.
type lastLine struct {
	line []byte // the last non-empty line that has ended
	open []byte // the line that has not
	long bool   // line was cut
	cut  bool   // open was cut
}

func (l *lastLine) Write(p []byte) (int, error) { return divide(p, l.extend, l.end) }

// divide hands on the lines of what is written: extend gets parts of a line, end comes behind each.
func divide(p []byte, extend func([]byte), end func()) (int, error) {
	n := len(p)
	for {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		extend(line)
		if !ended {
			return n, nil
		}
		end()
		p = rest
	}
}

func (l *lastLine) extend(p []byte) {
	if len(l.open) == 0 {
		p = bytes.TrimLeft(p, " \t\r") // blanks before a result do not count
	}
	fits := min(len(p), maxLine-len(l.open))
	l.open = append(l.open, p[:fits]...)
	l.cut = l.cut || fits < len(p)
}

// end closes the open line, which replaces the last one unless it is blank.
func (l *lastLine) end() {
	if len(bytes.TrimSpace(l.open)) > 0 {
		l.line, l.open = l.open, l.line
		l.long = l.cut
	}
	l.open, l.cut = l.open[:0], false
}

// last returns the last non-empty line without blanks around it, and whether it was
// longer than can be kept.
func (l *lastLine) last() (line []byte, long bool) {
	l.end()
	return bytes.TrimSpace(l.line), l.long
}

// maxTail bounds what is quoted of standard error.
const maxTail = 2 << 10

// tail is a writer that keeps the last bytes.
type tail struct{ bytes []byte }

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	t.bytes = append(t.bytes, p[max(0, n-maxTail):]...)
	if extra := len(t.bytes) - maxTail; extra > 0 {
		t.bytes = append(t.bytes[:0], t.bytes[extra:]...)
	}
	return n, nil
}

// lines returns the last three lines, joined with " | ".
func (t *tail) lines() string {
	var kept []string
	for line := range strings.Lines(strings.ToValidUTF8(string(t.bytes), "?")) {
		if line = strings.TrimSpace(line); strings.Trim(line, "^~ ") != "" { // a traceback marks places with them
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-3):], " | ")
}
