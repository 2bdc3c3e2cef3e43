/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.math.BigDecimal;
import java.util.Optional;

/**
 * What an agent step may spend on its models, over all its visits and runners; empty for no limit.
 *
 * @param cost in US dollars, above 0
 * @param tokens in and out, those of caches included, at least 1
 * @param turns number of answers, at least 1
 */
public record AgentBudget(Optional<BigDecimal> cost, Optional<Long> tokens, Optional<Long> turns) {
  public static final AgentBudget UNLIMITED =
      new AgentBudget(Optional.empty(), Optional.empty(), Optional.empty());
}
