/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.client.ApiRunEvent;
import dev.baton.protocol.json.Json;
import dev.baton.snapshot.TreeDeleter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the parts of the demo that need no stack. */
class DemoPartsTest {
  private static final String RUN = "01jd0000000000000000abcdef";

  @Test
  void shouldPlanTheSameKillsForTheSameSeedWithinTheRun() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    KillPlan one = KillPlan.random(7, seed);
    KillPlan other = KillPlan.random(7, seed);

    for (int remaining = 7; remaining > 0; remaining -= 3) {
      List<KillPlan.Moment> moments = one.next(remaining, 40);
      assertThat(moments).isEqualTo(other.next(remaining, 40));
      assertThat(moments).hasSize(Math.min(3, remaining));
      assertThat(moments).extracting(KillPlan.Moment::completed).isSorted().doesNotHaveDuplicates();
      assertThat(moments).allMatch(moment -> moment.completed() >= 0 && moment.completed() < 38);
    }
  }

  @Test
  void shouldPlanKillsInVeryShortRuns() {
    assertThat(KillPlan.random(3, 1).next(3, 1)).hasSize(1);
    assertThat(KillPlan.once().next(1, 1)).containsExactly(new KillPlan.Moment(1, 0));
  }

  @Test
  void shouldSeeWorkDoneTwice() {
    TraceCheck clean =
        TraceCheck.of(
            List.of(
                event(0, "runner_assigned", "{\"epoch\":1}"),
                event(1, "step_completed", "{\"step\":\"a\",\"visit\":1}"),
                event(1, "step_started", "{\"step\":\"b\",\"visit\":1}"),
                event(0, "runner_assigned", "{\"epoch\":2}"),
                event(1, "step_completed", "{\"step\":\"b\",\"visit\":1}"),
                event(2, "step_started", "{\"step\":\"b\",\"visit\":1}"),
                event(2, "step_completed", "{\"step\":\"b\",\"visit\":1}"),
                event(2, "step_completed", "{\"step\":\"a\",\"visit\":2}")));
    TraceCheck repeated =
        TraceCheck.of(
            List.of(
                event(0, "runner_assigned", "{\"epoch\":1}"),
                event(1, "step_completed", "{\"step\":\"a\",\"visit\":1}"),
                event(0, "runner_assigned", "{\"epoch\":2}"),
                event(2, "step_started", "{\"step\":\"a\",\"visit\":1}")));

    assertThat(clean).isEqualTo(new TraceCheck(3, List.of(), 0, 1));
    assertThat(repeated.repeated()).containsExactly("a#1");
  }

  @Test
  void shouldAllowToRepeatWhatHadNoCut() {
    TraceCheck check =
        TraceCheck.of(
            List.of(
                event(0, "runner_assigned", "{\"epoch\":1}"),
                event(1, "step_completed", "{\"step\":\"a\",\"without_cut\":true}"),
                event(0, "runner_assigned", "{\"epoch\":2}"),
                event(2, "step_started", "{\"step\":\"a\"}"),
                event(2, "step_completed", "{\"step\":\"a\"}")));

    assertThat(check).isEqualTo(new TraceCheck(1, List.of(), 1, 0));
  }

  @Test
  void shouldRemoveAFolderButNothingItsLinksPointTo(@TempDir Path temp) throws Exception {
    Path outside = Files.writeString(Files.createDirectory(temp.resolve("kept")).resolve("f"), "x");
    Path folder = Files.createDirectories(temp.resolve("gone/deep"));
    Files.createSymbolicLink(folder.resolve("link"), outside.getParent());
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));

    TreeDeleter.deleteFully(temp.resolve("gone"));

    try (Stream<Path> left = Files.list(temp)) {
      assertThat(left).containsExactly(outside.getParent());
    }
    assertThat(outside).exists();
  }

  private static ApiRunEvent event(int epoch, String type, String data) {
    String id = RUN + "/" + (epoch == 0 ? "c" : epoch) + "/1";
    return ApiRunEvent.of(
        Json.tree(
            "{\"position\":1,\"id\":\"%s\",\"type\":\"dev.baton.%s\",\"data\":%s}"
                .formatted(id, type, data)
                .getBytes(StandardCharsets.UTF_8)));
  }
}
