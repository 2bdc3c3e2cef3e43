/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import dev.baton.runner.lease.RunLease;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.sandbox.SandboxRelay;
import dev.baton.runner.sandbox.StepSandbox;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Runs a program once, with an empty standard input.
 *
 * @param environment all of its variables
 * @param marks {@code NAME=value} pairs of the environment that only this attempt's processes have
 * @param stdoutLimit bytes of standard output to keep; 0 for none
 * @param fixed where the program sees the directory
 * @param sandbox of the program, if it has one
 */
public record StepProcess(
    List<String> words,
    Path directory,
    Map<String, String> environment,
    Set<String> marks,
    int stdoutLimit,
    WorkspaceMount fixed,
    Optional<StepSandbox> sandbox) {
  private static final Logger LOG = Logger.getLogger(StepProcess.class);

  /** Time between SIGTERM and SIGKILL. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  /** Time to read the remaining output after all processes that could write have ended. */
  private static final Duration DRAIN = Duration.ofSeconds(5);

  /**
   * Runs the program and waits. When this returns or throws, none of its processes is alive.
   *
   * @param hold suspends and resumes the processes; the timeout is not extended meanwhile
   * @param timeout null for none
   * @throws InterruptedException when the thread is interrupted; the processes are killed at once
   * @throws dev.baton.runner.sandbox.SandboxException when its sandbox cannot be created
   * @throws IOException when it cannot be started
   */
  public StepProcessResult run(RunLease hold, StepLog log, @Nullable Duration timeout)
      throws IOException, InterruptedException {
    Optional<SandboxRelay> relay =
        sandbox.isEmpty() ? Optional.empty() : sandbox.get().openRelay(Set.of());
    try {
      return run(hold, log, timeout, sandbox.map(it -> relay.map(it::reaching).orElse(it)));
    } finally {
      relay.ifPresent(SandboxRelay::close);
    }
  }

  private StepProcessResult run(
      RunLease hold, StepLog log, @Nullable Duration timeout, Optional<StepSandbox> inside)
      throws IOException, InterruptedException {
    AtomicReference<@Nullable Process> begun = new AtomicReference<>();
    ProcessTree tree =
        hold.begin(
            () -> {
              Process started =
                  SessionProcessStarter.start(words, directory, environment, fixed, inside);
              begun.set(started);
              return new ProcessTree(started.toHandle(), marks, inside.isPresent());
            });
    Process process = Objects.requireNonNull(begun.get());
    CappedBuffer stdout = new CappedBuffer(stdoutLimit);
    Thread out = pump(process.getInputStream(), log.stream("stdout"), stdout);
    Thread err = pump(process.getErrorStream(), log.stream("stderr"), new CappedBuffer(0));
    try {
      boolean ended = await(process, timeout);
      if (!ended) {
        tree.terminate();
        process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
      }
      int leftovers = tree.kill();
      out.join(DRAIN);
      err.join(DRAIN);
      stdout.check();
      return ended
          ? new StepProcessResult.Exited(
              process.waitFor(), stdout.bytes(), stdout.isOver(), leftovers)
          : new StepProcessResult.TimedOut();
    } catch (InterruptedException e) {
      tree.killWhateverComes();
      throw e;
    } finally {
      hold.end(tree);
    }
  }

  private static boolean await(Process process, @Nullable Duration timeout)
      throws InterruptedException {
    if (timeout == null) {
      process.waitFor();
      return true;
    }
    return process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static Thread pump(InputStream from, StepLog.Stream log, CappedBuffer kept) {
    return Thread.ofPlatform()
        .daemon()
        .name("output")
        .start(
            () -> {
              byte[] chunk = new byte[8192];
              try (from) {
                for (int n = from.read(chunk); n >= 0; n = from.read(chunk)) {
                  kept.write(chunk, n);
                  log.write(chunk, n);
                }
              } catch (IOException e) {
                LOG.debugf("output ended: %s", e);
              } catch (RuntimeException | Error e) {
                kept.lost(e);
                LOG.warnf(e, "the rest of an output is lost");
              }
              log.end();
            });
  }
}
