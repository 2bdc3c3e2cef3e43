/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.util.List;
import java.util.Optional;

/** Finds drivers by their name. Immutable. */
public final class AgentDriverRegistry {
  private final List<AgentDriver> drivers;

  public AgentDriverRegistry(List<AgentDriver> drivers) {
    this.drivers = List.copyOf(drivers);
  }

  /** The driver for a {@code use}; empty for an unknown one. */
  public Optional<AgentDriver> find(String use) {
    return drivers.stream().filter(driver -> driver.use().equals(use)).findFirst();
  }

  /** The known names, for messages. */
  public List<String> uses() {
    return drivers.stream().map(AgentDriver::use).toList();
  }
}
