/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.Optional;

/**
 * How long the conversations of an agent step may be. Empty for the runner's defaults.
 *
 * @param window of the model in tokens, {@link #MIN_WINDOW} to {@link #MAX_WINDOW}
 * @param compactAt share of the window from which a summary replaces older messages, {@link
 *     #MIN_SHARE} to {@link #MAX_SHARE}
 */
public record AgentContext(Optional<Long> window, Optional<Double> compactAt) {
  public static final long MIN_WINDOW = 8_000;
  public static final long MAX_WINDOW = 100_000_000;
  public static final double MIN_SHARE = 0.1;
  public static final double MAX_SHARE = 0.95;

  public static final AgentContext DEFAULT = new AgentContext(Optional.empty(), Optional.empty());
}
