package session

import (
	"context"
	"time"

	"tonne/api"
)

// source is where the news of a session come from: a poller of its own, or a
// seat at a desk.
type source interface {
	// Run returns when ctx ends, or why there will be no more news.
	Run(ctx context.Context) error
	ShowInventory(q api.InventoryQuery)
	HideInventory()
	KeepPortfolio()
	ShowProjects(ids []string)
	Refresh()
	Pause(paused bool)
	Focus(focused bool)
	LookUp(id string)
	Follow(id string, since time.Time)
	Unfollow(id string)
	SaveCertificate(id, url, dir string)
}

// role is what a session does for itself, and what for others. The zero value
// does all of it for itself.
type role int8

const (
	// host: it polls and records, and holds no rules.
	host role = 1 + iota
	// seated: it holds the rules of one person, and another session polls and
	// records. It touches no file but its store.
	seated
)
