/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import dev.baton.process.ProcessSignal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Specification of a supervised process.
 *
 * @param name for messages, and of its log
 * @param command evaluated at each start, so that it may also prepare the start
 * @param environment in addition to this process's own
 * @param directory its working folder
 * @param log file of its standard output and error: never a pipe, since the process must survive
 *     its supervisor
 * @param readiness the readiness probe
 * @param readyWithin maximum time until it is ready
 * @param stopSignal the signal that stops it
 * @param stopWithin maximum time until it has stopped before it is killed
 */
public record ProcessSpec(
    String name,
    Command command,
    Map<String, String> environment,
    Path directory,
    Path log,
    ReadinessProbe readiness,
    Duration readyWithin,
    ProcessSignal stopSignal,
    Duration stopWithin) {

  public ProcessSpec {
    environment = Map.copyOf(environment);
  }

  /** Prepares the start of the process and returns its command. */
  @FunctionalInterface
  public interface Command {
    /**
     * @throws IOException when the process cannot be started in the present state
     */
    List<String> prepare() throws IOException, InterruptedException;
  }
}
