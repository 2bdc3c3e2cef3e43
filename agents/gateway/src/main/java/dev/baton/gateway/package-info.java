/**
 * The model gateway: an HTTP server on loopback between an agent and its model. It journals every
 * answer before the agent sees its end, replays journaled answers after a resume, marks the
 * boundaries at which files and agent state are captured, counts tokens and cost, and enforces
 * budgets. The runner connects through the ports {@code AnswerJournal}, {@code BoundaryCapture},
 * {@code LeaseGate}, {@code KeyResolver} and {@code GatewayObserver}.
 */
@NullMarked
package dev.baton.gateway;

import org.jspecify.annotations.NullMarked;
