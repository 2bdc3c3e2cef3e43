/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.background;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process that an agent has left in the background, as a checkpoint keeps it.
 *
 * @param command its words, joined by spaces, without secrets, of at most {@value #MAX_COMMAND}
 *     characters
 * @param folder its working folder: relative to the workspace if it is in it ({@code .} for the
 *     workspace itself), else absolute
 * @param startedAt null where unknown
 * @param arguments its words, with which it can be started again; empty where that is not possible
 * @param obstacle why it cannot be started again; null where it can
 * @param parent index of the process in the same list that started it; -1 for none
 */
public record BackgroundProcess(
    String command,
    String folder,
    @Nullable Instant startedAt,
    List<String> arguments,
    @Nullable String obstacle,
    int parent) {
  public static final int MAX_COMMAND = 1_000;

  public BackgroundProcess {
    arguments = arguments == null ? List.of() : List.copyOf(arguments);
  }

  /**
   * Whether its only word is a title with which it has replaced its command line, as programs of
   * Node.js do.
   */
  @JsonIgnore
  public boolean isTitle() {
    return arguments.size() == 1 && arguments.getFirst().indexOf(' ') > 0;
  }
}
