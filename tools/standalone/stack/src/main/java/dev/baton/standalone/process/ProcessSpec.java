/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What a supervised process is.
 *
 * @param name for people, and of its log
 * @param command asked for at each start, so that it may also prepare the start
 * @param environment on top of this process's own
 * @param directory where it is started
 * @param log where its standard output and error go: a file, never a pipe, for it must survive its
 *     supervisor
 * @param readiness how one sees that it can be used
 * @param readyWithin how long it may take to become ready
 * @param stopSignal how it is asked to end
 * @param stopWithin how long it may take to end before it is killed
 */
public record ProcessSpec(
    String name,
    Command command,
    Map<String, String> environment,
    Path directory,
    Path log,
    ReadinessProbe readiness,
    Duration readyWithin,
    StopSignal stopSignal,
    Duration stopWithin) {

  public ProcessSpec {
    environment = Map.copyOf(environment);
  }

  /** Makes ready what the process needs and says how it is started. */
  @FunctionalInterface
  public interface Command {
    /**
     * @throws IOException when the process cannot be started as things stand
     */
    List<String> prepare() throws IOException, InterruptedException;
  }
}
