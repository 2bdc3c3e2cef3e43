/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackComponent;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sets the wall clocks of a stack's processes wrong, each independently: those of the store, the
 * orchestrator and the runners. A small preloaded library reads the offset from a file in the
 * process's working folder; the monotonic clock does not change. The library is compiled on the
 * spot: without a C compiler this fault is unavailable. Thread-safe.
 */
public final class ClockSkewInjector {
  private static final String FILE = ".clock";
  private static final String SOURCE = "wrongclock.c";

  private final @Nullable Path library;
  private final String missing;
  private final List<Clock> clocks = new CopyOnWriteArrayList<>();

  /**
   * One clock, wrong for one reason at a time.
   *
   * @param name of a {@link FaultableServer}; runners have a name that no server has
   */
  record Clock(String name, Path folder, ReentrantLock lock) {
    private static Clock of(String server, Path folder) {
      return new Clock(server, folder, new ReentrantLock());
    }

    /** Creates one clock for all runners that an orchestrator starts. */
    private static Clock ofRunners(String name, Path orchestrator) {
      return new Clock(name, orchestrator.resolve("work"), new ReentrantLock());
    }

    void set(long offsetMs) throws IOException {
      Path next = folder.resolve(FILE + ".next");
      Files.writeString(next, offsetMs + "\n");
      Files.move(
          next,
          folder.resolve(FILE),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    }

    void right() throws IOException {
      set(0);
    }
  }

  private ClockSkewInjector(@Nullable Path library, String missing, Path data) {
    this.library = library;
    this.missing = missing;
    for (StackComponent component : List.of(StackComponent.ORCHESTRATOR, StackComponent.STORE)) {
      clocks.add(Clock.of(component.label(), data.resolve(component.label())));
    }
    clocks.addFirst(Clock.ofRunners("runners", data.resolve(StackComponent.ORCHESTRATOR.label())));
  }

  /** Adds another process, which has not started, and its runners. */
  public void add(ServiceReplica replica) {
    clocks.add(Clock.of(replica.name(), replica.data()));
    if (replica.component() == StackComponent.ORCHESTRATOR) {
      clocks.add(Clock.ofRunners("runners of " + replica.name(), replica.data()));
    }
  }

  /**
   * Creates an injector for the stack in this folder, which has not started.
   *
   * @param folder for the library
   */
  public static ClockSkewInjector of(Path data, Path folder)
      throws IOException, InterruptedException {
    Path source = folder.resolve(SOURCE);
    Path library = folder.resolve("wrongclock.so");
    try (InputStream in =
        Objects.requireNonNull(ClockSkewInjector.class.getResourceAsStream(SOURCE))) {
      Files.copy(in, source, StandardCopyOption.REPLACE_EXISTING);
    }
    String said =
        SystemCommandExecutor.run(
            "cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString(), "-ldl");
    Files.delete(source);
    return new ClockSkewInjector(said.isEmpty() ? library : null, said, data);
  }

  /** Environment of the stack's services, which their runners inherit. */
  public Map<String, String> environment() {
    return library == null ? Map.of() : Map.of("LD_PRELOAD", library.toString());
  }

  /** Returns why clocks cannot be set wrong; empty when they can. */
  String missing() {
    return missing;
  }

  Clock choose(int choice) {
    return clocks.get(choice % clocks.size());
  }

  void heal() throws IOException {
    if (library != null) {
      for (Clock clock : clocks) {
        clock.right();
      }
    }
  }
}
