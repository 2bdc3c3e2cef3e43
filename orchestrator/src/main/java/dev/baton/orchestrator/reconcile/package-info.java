/**
 * Reconciliation: decides in one pure function what happens to a run, and performs that decision in
 * one transaction.
 */
@NullMarked
package dev.baton.orchestrator.reconcile;

import org.jspecify.annotations.NullMarked;
