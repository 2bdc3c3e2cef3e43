/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.core.JacksonException;
import dev.baton.protocol.expression.ExpressionException;
import dev.baton.runner.journal.JournalException;
import dev.baton.runner.outputs.OutputUnavailableException;
import dev.baton.runner.steps.StepResult;
import org.jboss.logging.Logger;

/**
 * Maps an exception that no step expects to the failure of the attempt that raised it, so that it
 * ends neither this run on this runner nor another run of the process. Only exceptions that mean
 * that this runner cannot continue the run pass through: {@link RunBrokenException} and {@link
 * JournalException}.
 */
final class UnexpectedFailurePolicy {
  private static final Logger LOG = Logger.getLogger(UnexpectedFailurePolicy.class);

  private UnexpectedFailurePolicy() {}

  /**
   * Returns the failure of the step for an exception or error. The step's retry policy decides
   * about another attempt.
   *
   * @param step its path
   * @throws InterruptedException when the run is stopped and the exception is how a library reports
   *     the interrupt
   * @throws RunBrokenException when the runner, not the step, is at fault
   * @throws JournalException when the trace cannot be written
   */
  static StepResult.Failed failure(RunExecutionContext run, String step, Throwable thrown)
      throws InterruptedException {
    if (thrown instanceof ExpressionException e) {
      return (StepResult.Failed) StepResult.failed(e);
    }
    passOn(run, thrown);
    if (thrown instanceof OutputUnavailableException e) {
      return (StepResult.Failed)
          StepResult.failed("store_unavailable", String.valueOf(e.getMessage()));
    }
    String code = code(thrown);
    LOG.warnf(thrown, "run %s, step '%s': the attempt fails with code '%s'", run.run(), step, code);
    return (StepResult.Failed) StepResult.failed(code, describe(thrown));
  }

  /**
   * Rethrows exceptions that are not the step's: a stop of the run, a runner that cannot continue
   * it.
   *
   * @throws InterruptedException when the run is stopped
   */
  static void passOn(RunExecutionContext run, Throwable thrown) throws InterruptedException {
    if (thrown instanceof RunBrokenException broken) {
      throw broken;
    }
    if (thrown instanceof JournalException unwritten) {
      throw unwritten;
    }
    if (run.control().isInterrupting()
        || Thread.currentThread().isInterrupted()
        || (thrown instanceof OutputUnavailableException e && e.isInterruption())) {
      throw (InterruptedException) new InterruptedException("stopped").initCause(thrown);
    }
  }

  private static String code(Throwable thrown) {
    return switch (thrown) {
      case OutOfMemoryError memory -> "out_of_memory";
      case StackOverflowError stack -> "stack_overflow";
      // For example half of a surrogate pair in an output.
      case java.io.UncheckedIOException e when e.getCause() instanceof JacksonException ->
          "output_invalid";
      default -> "internal";
    };
  }

  private static String describe(Throwable thrown) {
    return switch (thrown) {
      case OutOfMemoryError memory ->
          "the step needs more memory than the runner has: " + memory.getMessage();
      case StackOverflowError stack ->
          "the step's data is nested too deeply for the runner's stack";
      case java.io.UncheckedIOException e when e.getCause() instanceof JacksonException json ->
          "the result cannot be written as JSON: " + json.getOriginalMessage();
      default ->
          "unexpected "
              + thrown.getClass().getSimpleName()
              + (thrown.getMessage() == null ? "" : ": " + thrown.getMessage());
    };
  }
}
