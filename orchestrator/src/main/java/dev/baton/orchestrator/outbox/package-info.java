/** What a committed transaction still owes the outside: control events, kills, launches. */
@NullMarked
package dev.baton.orchestrator.outbox;

import org.jspecify.annotations.NullMarked;
