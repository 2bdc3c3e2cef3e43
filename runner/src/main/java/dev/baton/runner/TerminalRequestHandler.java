/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.protocol.grpc.OpenTerminal;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.trace.RunId;
import dev.baton.runner.attach.GatewayClient;
import dev.baton.runner.engine.RunTask;
import dev.baton.runner.engine.RunnerContext;
import dev.baton.runner.screen.TerminalAttachment;
import java.util.Map;
import java.util.function.Function;
import org.jboss.logging.Logger;

/** Attaches terminals to the screens of a runner's steps. */
final class TerminalRequestHandler {
  private static final Logger LOG = Logger.getLogger(TerminalRequestHandler.class);

  private TerminalRequestHandler() {}

  /**
   * Attaches a terminal, without blocking. When it is detached, a checkpoint of its run is created.
   *
   * @param runs those that the runner carries
   */
  static <T> void handle(
      OpenTerminal request,
      RunnerContext services,
      GatewayClient gateway,
      Map<String, T> runs,
      Function<T, RunTask> task) {
    TerminalAttachment.open(
        request,
        services.executors().agents().screens(),
        gateway::terminal,
        () -> {
          T carried = runs.get(request.getRun());
          if (carried != null) {
            checkpoint(task.apply(carried));
          }
        });
  }

  private static void checkpoint(RunTask task) {
    task.checkpoint(CheckpointTrigger.DETACH, RunId.next())
        .ifPresent(
            why ->
                LOG.infof(
                    "run %s: no checkpoint at the detach of a terminal: %s",
                    task.assignment().run(), why));
  }
}
