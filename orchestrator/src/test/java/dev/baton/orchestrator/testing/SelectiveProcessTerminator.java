/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import dev.baton.orchestrator.launch.ProcessTerminator;
import io.quarkus.test.Mock;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Terminates processes, except those that a test has made unkillable: a process that survives
 * SIGKILL cannot be started without special rights.
 */
@Mock
@ApplicationScoped
public class SelectiveProcessTerminator extends ProcessTerminator {
  private final Set<Long> unkillable = ConcurrentHashMap.newKeySet();

  public void makeUnkillable(long pid) {
    unkillable.add(pid);
  }

  public void makeKillable(long pid) {
    unkillable.remove(pid);
  }

  @Override
  public void terminate(long pid) {
    if (!unkillable.contains(pid)) {
      super.terminate(pid);
    }
  }
}
