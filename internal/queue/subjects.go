package queue

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

const (
	streamName = "MAHABO"
	trials     = "mahabo.trials."
	want       = "mahabo.want."
)

// key stands for the name of a study in subjects.
func key(study string) string {
	sum := sha256.Sum256([]byte(study))
	return hex.EncodeToString(sum[:16])
}

func subject(study string, number int) string {
	return trials + key(study) + "." + strconv.Itoa(number)
}

func subjectsOf(study string) string { return trials + key(study) + ".*" }

// numberOf is the trial of a subject, 0 for one that is not ours.
func numberOf(subject string) int {
	n, err := strconv.Atoi(subject[strings.LastIndexByte(subject, '.')+1:])
	if err != nil {
		return 0
	}
	return n
}
