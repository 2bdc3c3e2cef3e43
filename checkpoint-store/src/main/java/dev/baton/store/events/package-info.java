/** Reads a run's events from Postgres: pages, and streams that follow the log. */
@NullMarked
package dev.baton.store.events;

import org.jspecify.annotations.NullMarked;
