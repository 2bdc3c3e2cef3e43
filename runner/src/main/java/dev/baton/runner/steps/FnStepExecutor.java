/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.baton.protocol.workflow.StepKind;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jboss.logging.Logger;

/** Calls the bean of an {@code fn} step. */
final class FnStepExecutor implements StepExecutor<StepKind.Fn> {
  private static final Logger LOG = Logger.getLogger(FnStepExecutor.class);

  /**
   * Time for a function to end after it was interrupted. Short enough for a cut to follow when the
   * runner is shut down.
   */
  private static final Duration GRACE = Duration.ofSeconds(4);

  private final Function<String, Optional<StepFunction>> functions;

  FnStepExecutor(Function<String, Optional<StepFunction>> functions) {
    this.functions = functions;
  }

  @Override
  public StepResult execute(StepKind.Fn kind, StepContext context) throws InterruptedException {
    Optional<StepFunction> function = functions.apply(kind.bean());
    if (function.isEmpty()) {
      return StepResult.failedForGood(
          "unsupported", "this runner has no function '" + kind.bean() + "'");
    }
    JsonNode arguments = kind.args().evaluate(context.scope());
    FutureTask<JsonNode> call =
        new FutureTask<>(
            () ->
                Objects.requireNonNullElse(
                    function.get().call(arguments, context), NullNode.getInstance()));
    Thread thread = Thread.ofVirtual().name("fn-" + kind.bean()).start(call);
    try {
      Duration limit = context.deadline().leftOrForever();
      return StepResult.done(call.get(limit.toNanos(), TimeUnit.NANOSECONDS));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof VirtualMachineError error) {
        throw error; // An error of the process, not of the function.
      }
      return StepResult.failed("function", kind.bean() + ": " + e.getCause());
    } catch (TimeoutException e) {
      return StepResult.failed("timeout", kind.bean() + " exceeded its timeout");
    } finally {
      thread.interrupt();
      // No thread of the function may run concurrently with the next attempt or another runner.
      if (!thread.join(GRACE)) {
        LOG.errorf(
            "function %s is still running %d s after it was interrupted",
            kind.bean(), GRACE.toSeconds());
      }
    }
  }
}
