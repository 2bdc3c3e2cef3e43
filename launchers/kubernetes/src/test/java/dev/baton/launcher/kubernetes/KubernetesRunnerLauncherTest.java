/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.RunnerObserver;
import dev.baton.launcher.testkit.RunnerLauncherKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the kit with real pods, on a node that is this machine and has the image {@code
 * -Dkubernetes.image} with a shell and {@code setsid}.
 */
class KubernetesRunnerLauncherTest extends RunnerLauncherKit {
  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static KubernetesPlace place;

  @BeforeAll
  static void connect() throws Exception {
    place = KubernetesPlace.openWithNode(folder);
  }

  @AfterAll
  @SuppressWarnings("NullAway") // Null without a cluster.
  static void disconnect() {
    if (place != null) {
      place.close();
    }
  }

  @Override
  protected RunnerLauncher create() {
    return place.launcher(
        folder.resolve("logs"), TestPods.plain(KubernetesPlace.image(), 64L << 20));
  }

  @Override
  protected RunnerLauncher createWithoutProgram() {
    return place.launcher(folder.resolve("logs"), TestPods.plain("no-such-image:1", 64L << 20));
  }

  /** A kubelet of 1.20 may show a deleted pod as waiting after its end: one of three did. */
  @Override
  protected boolean mayLoseCodesOfRemovedRunners() {
    return true;
  }

  private static List<Long> marked(String mark) {
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      return processes
          .filter(process -> process.getFileName().toString().matches("[0-9]+"))
          .filter(process -> hasMark(process, mark))
          .map(process -> Long.valueOf(process.getFileName().toString()))
          .toList();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static boolean hasMark(Path process, String mark) {
    try {
      return new String(Files.readAllBytes(process.resolve("environ")), UTF_8)
          .contains("KIT_MARK=" + mark);
    } catch (IOException e) {
      return false; // It has ended.
    }
  }

  @Override
  protected int liveProcesses(String mark) {
    return marked(mark).size();
  }

  private static void signal(String mark, String signal) {
    for (Long pid : marked(mark)) {
      try {
        new ProcessBuilder("kill", "-" + signal, pid.toString()).inheritIO().start().waitFor();
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  protected void clear(String mark) {
    signal(mark, "KILL");
  }

  @Override
  protected void freeze(String mark) {
    signal(mark, "STOP");
  }

  /** Another pod under the same name. */
  @Override
  protected String handleOfPredecessor(LaunchedRunner live) {
    return UUID.randomUUID().toString();
  }

  @Override
  protected Duration within() {
    return Duration.ofSeconds(60);
  }

  /** As long as that of an orchestrator. */
  @Override
  protected Duration patience() {
    return Duration.ofSeconds(15);
  }

  @Override
  protected Duration shortPatience() {
    return patience();
  }

  /** A kubelet reports it within about a second. */
  @Override
  protected boolean showsEndsAtOnce() {
    return false;
  }

  /** A pod takes about two seconds. */
  @Override
  protected int stormSize() {
    return 10;
  }

  /** A missing image is shown, and is not an end: it may be pushed later. */
  @Override
  @Test
  protected void shouldReportAProgramThatDoesNotExist() {
    RunnerLauncher launcher = createWithoutProgram();
    List<LaunchedRunner> changes = new CopyOnWriteArrayList<>();
    launcher.observe(
        new RunnerObserver() {
          @Override
          public void changed(LaunchedRunner runner) {
            changes.add(runner);
          }

          @Override
          public void ended(dev.baton.launcher.RunnerExit exit) {
            assertThat(exit).isNull();
          }
        });
    try (launcher) {
      launcher.start(new LaunchSpec("warm-image", null, 0, "default", Map.of()));

      KubernetesPlace.await(
          "the reason, seen " + changes,
          () -> changes.stream().anyMatch(one -> String.valueOf(one.reason()).contains("Image")));
    } catch (dev.baton.launcher.LaunchException e) {
      throw new AssertionError(e);
    }
  }
}
