package session_test

import (
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model/attribute"
	"tonne/model/store"
)

func TestWhatTheBuyerKnowsIsToldAndToldAgainWhenAnotherProcessChangesIt(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		labelled := attribute.Fact{
			Scope: attribute.OfVintage, ID: vintage.VintageID, Attribute: attribute.CCP, Value: attribute.Labelled, Source: "https://icvcm.org/a", Checked: time.Now().UTC().Truncate(24 * time.Hour),
		}
		other := store.Open(path)
		defer other.Close()
		put := func(facts ...attribute.Fact) {
			t.Helper()
			if err := other.Of(origin).Annotations.PutFacts(t.Context(), facts); err != nil {
				t.Fatal(err)
			}
		}
		put(labelled)
		r := begin(t, &fake{}, store.Open(path))
		if e := must[session.AnnotationsEvent](r); len(e.Facts.Labels(vintage)) != 1 || e.Facts.Labels(vintage)[0] != "ccp" {
			t.Errorf("told are %v", e.Facts.Labels(vintage))
		}
		time.Sleep(2 * time.Minute)
		if _, again := latest[session.AnnotationsEvent](r); again {
			t.Error("an unchanged value is sent again")
		}
		labelled.Value = attribute.NotLabelled
		put(labelled)
		time.Sleep(2 * time.Minute)
		if e := must[session.AnnotationsEvent](r); len(e.Facts.Labels(vintage)) != 0 {
			t.Errorf("told are %v", e.Facts.Labels(vintage))
		}
		labelled.Value = ""
		put(labelled)
		time.Sleep(2 * time.Minute)
		if e := must[session.AnnotationsEvent](r); len(e.Facts.Labels(vintage)) != 0 {
			t.Errorf("told are %v", e.Facts.Labels(vintage))
		}
	})
}

func TestWhereTheBuyerKnowsNothingNothingIsTold(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{}, store.Open(""))
		if _, told := latest[session.AnnotationsEvent](r); told {
			t.Error("no event is sent")
		}
	})
}
