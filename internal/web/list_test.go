package web_test

import (
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/studytest"
	"github.com/mahabo/mahabo/store"
)

// A study that cannot be read has a card with the reason beside those of the others, and cannot be compared.
func TestListWithBrokenStudy(t *testing.T) {
	st, err := store.Open(t.Context(), "memory:")
	if err != nil {
		t.Fatal(err)
	}
	v := openOn(t, st, "")
	for _, name := range []string{"good", "broken"} {
		v.send("POST", "/v1/studies", "application/json", `{"name": "`+name+`", "space": {"parameters": {"x": {"float": [0, 1]}}}}`)
	}
	studytest.Damage(t, st, "broken", studytest.Misfit)
	page := v.get("/")
	_, card, found := strings.Cut(page, `id="study-broken"`)
	card, _, _ = strings.Cut(card, "</li>")
	if !found || !strings.Contains(card, "This study cannot be read: ") || !strings.Contains(card, "event 2 of the log does not fit") || strings.Contains(card, "href") {
		t.Errorf("the card is %s", card)
	}
	if !strings.Contains(page, `href="/studies/good"`) || !strings.Contains(page, "2 of 2 studies") {
		t.Errorf("the page is %s", page)
	}
	if page := v.get("/compare"); !strings.Contains(page, `value="good"`) || strings.Contains(page, `value="broken"`) {
		t.Errorf("the comparison is %s", page)
	}
}
