/**
 * Transactional outbox: performs the side effects of committed transactions, such as control
 * events, kills and launches.
 */
@NullMarked
package dev.baton.orchestrator.outbox;

import org.jspecify.annotations.NullMarked;
