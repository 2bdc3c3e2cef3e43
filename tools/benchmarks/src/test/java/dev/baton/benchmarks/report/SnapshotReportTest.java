/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.benchmarks.measure.DiskUsage;
import dev.baton.benchmarks.snapshot.FileIoFloor;
import dev.baton.benchmarks.snapshot.PhaseCost;
import dev.baton.benchmarks.snapshot.SnapshotPhase;
import dev.baton.benchmarks.snapshot.SnapshotResult;
import dev.baton.benchmarks.snapshot.SnapshotResult.ToolResult;
import dev.baton.benchmarks.snapshot.SnapshotRoundResult;
import dev.baton.protocol.json.Json;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;

class SnapshotReportTest {

  @Test
  void shouldPrintExactlyTheAgreedKeys() throws Exception {
    JsonNode json = Json.mapper().readTree(SnapshotJsonWriter.brief(result(1, 2)));

    assertThat(json)
        .isEqualTo(
            Json.mapper()
                .readTree(
                    """
                    {"tools":{
                      "baton":{"first_s":1.0,"unchanged_s":2.0,"percent_s":3.0,"ten_s":4.0,
                        "restore_s":5.0,"stored_bytes":2000000,"cpu_s":15.0,"peak_rss_mb":200},
                      "tar":{"first_s":2.0,"unchanged_s":4.0,"percent_s":6.0,"ten_s":8.0,
                        "restore_s":10.0,"stored_bytes":2000000,"cpu_s":15.0,"peak_rss_mb":200},
                      "restic":null,"borg":null},
                     "floor":{"stat_s":0.3,"read_s":0.4,"zstd_s":2.0}}\
                    """));
  }

  @Test
  void shouldShowGoalsThatAreMetAndMissed() {
    String table = SnapshotMarkdownWriter.of(result(1, 2));

    assertThat(table)
        .contains("| baton | 1.00 s | 2.00 s | 3.00 s | 4.00 s | 5.00 s | 1 MB | 2 MB | 15.0 s |")
        .contains("| the same | ≤ 7% |")
        .contains("| tar's time, first capture | 0.50 | ≤ 1.00 | met |")
        .contains("| tar's time, ten files | 0.50 | ≤ 0.20 | missed |")
        .doesNotContain("restic's")
        .contains("- tar: tar 1.0");
  }

  @Test
  void shouldHaveNoGoalsWithoutBaton() {
    SnapshotResult all = result(1, 2);
    SnapshotResult peers =
        new SnapshotResult(
            all.at(),
            all.machine(),
            all.tree(),
            all.content(),
            all.percentFiles(),
            all.floors(),
            Map.of("tar", all.tools().get("tar")));

    assertThat(SnapshotMarkdownWriter.of(peers)).doesNotContain("Goals");
    assertThat(SnapshotJsonWriter.brief(peers)).contains("\"baton\":null");
  }

  @Test
  void shouldDrawWellFormedSvg() throws Exception {
    var document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(
                new ByteArrayInputStream(
                    SnapshotSvgWriter.of(result(1, 2)).getBytes(StandardCharsets.UTF_8)));

    // Two tools in eight panels; one line of the floor in three, two in two; the background.
    assertThat(document.getElementsByTagName("rect").getLength()).isEqualTo(16 + 3 + 4 + 1);
  }

  private static SnapshotResult result(double baton, double tar) {
    Map<String, ToolResult> tools = new LinkedHashMap<>();
    tools.put("baton", new ToolResult("Baton", List.of(), List.of(round(baton))));
    tools.put("tar", new ToolResult("tar 1.0", List.of(), List.of(round(tar))));
    return new SnapshotResult(
        Instant.parse("2026-01-01T00:00:00Z"),
        "2 processors <made up> & more",
        "made up",
        new DiskUsage(1 << 30, 85_000, 9_000, 300),
        850,
        List.of(new FileIoFloor(0.3, 0.4, 2)),
        tools);
  }

  private static SnapshotRoundResult round(double unit) {
    Map<SnapshotPhase, PhaseCost> costs = new EnumMap<>(SnapshotPhase.class);
    for (SnapshotPhase phase : SnapshotPhase.values()) {
      costs.put(phase, new PhaseCost((phase.ordinal() + 1) * unit, 2, 1, 200 << 20));
    }
    return new SnapshotRoundResult(costs, 1_000_000, 2_000_000, 0.07);
  }
}
