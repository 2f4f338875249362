package model_test

import (
	"testing"

	"tonne/model"
	must "tonne/model/musttest"
)

func TestProjectWithoutNameHasItsID(t *testing.T) {
	projects := model.Projects{"a": {ID: "a", Name: "Bale Mountains"}, "b": {ID: "b"}}
	must.Equal(t, projects.Name("a")+projects.Name("b")+projects.Name("c")+model.Projects(nil).Name("d"),
		"Bale Mountainsbcd")
}
