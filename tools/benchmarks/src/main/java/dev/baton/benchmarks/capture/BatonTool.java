/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.capture;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.baton.BenchmarkStack;
import dev.baton.benchmarks.baton.JfrRecorder;
import dev.baton.benchmarks.measure.DiskUsage;
import dev.baton.benchmarks.measure.ProcessFootprint;
import dev.baton.benchmarks.measure.ResourceUsage;
import dev.baton.benchmarks.snapshot.PhaseCost;
import dev.baton.benchmarks.snapshot.SnapshotTool;
import dev.baton.protocol.json.Json;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Baton: a process that simulates a runner, the checkpoint-store, Postgres and the S3 server of an
 * embedded stack. Each round is a run in a new project, so that no data is stored yet.
 */
public final class BatonTool implements SnapshotTool {
  private static final List<String> SERVERS =
      List.of(
          StackComponent.STORE.label(), StackComponent.POSTGRES.label(), StackComponent.S3.label());

  private final BenchmarkStack stack;
  private final CaptureProcess process;
  private final Path objects;
  private int rounds;

  private BatonTool(BenchmarkStack stack, CaptureProcess process) {
    this.stack = stack;
    this.process = process;
    this.objects = stack.objects();
  }

  /**
   * @param folder a separate folder
   * @param cache where native libraries are kept
   * @param environment additional variables for components, by the component's label
   */
  public static BatonTool start(
      Path folder,
      Path cache,
      Map<String, Map<String, String>> environment,
      Consumer<String> progress)
      throws IOException, InterruptedException {
    BenchmarkStack stack =
        BenchmarkStack.startStore(folder.resolve("stack"), environment, progress);
    try {
      return new BatonTool(
          stack, CaptureProcess.start(stack.store(), folder.resolve("capture"), cache));
    } catch (IOException | RuntimeException e) {
      stack.close();
      throw e;
    }
  }

  @Override
  public String name() {
    return "baton";
  }

  @Override
  public String version() {
    return "a runner's library and client in a separate process, checkpoint-store, Postgres and"
        + " the S3 server of an embedded stack";
  }

  @Override
  public void begin(Path tree) throws IOException, InterruptedException {
    rounds++;
    process.ask(request("begin").put("project", project()).put("tree", tree.toString()));
  }

  @Override
  public PhaseCost capture(Path tree) throws IOException, InterruptedException {
    ProcessFootprint before = stack.footprint();
    ResourceUsage usage = process.ask(request("capture"));
    // Verification happens later in the background, but is part of the cost of a cut.
    process.ask(request("verified"));
    return cost(usage, before);
  }

  @Override
  public Restoration restore(Path tree, Path target) throws IOException, InterruptedException {
    ProcessFootprint before = stack.footprint();
    ResourceUsage usage = process.ask(request("restore").put("target", target.toString()));
    return new Restoration(cost(usage, before), target);
  }

  @Override
  public long storedBytes() throws IOException {
    return DiskUsage.of(objects.resolve(project())).bytes();
  }

  @Override
  public void end() throws IOException {
    DirectoryTreeDeleter.delete(objects.resolve(project()));
  }

  /** Records its Java processes from now on. */
  public JfrRecorder record(Path profile) throws IOException, InterruptedException {
    return JfrRecorder.start(profile, stack, Map.of(process.pid(), "capture"));
  }

  @Override
  public void close() throws IOException {
    try {
      process.close();
    } finally {
      stack.close();
    }
    DirectoryTreeDeleter.delete(objects);
  }

  private PhaseCost cost(ResourceUsage usage, ProcessFootprint before) throws IOException {
    Map<String, Double> used = stack.footprint().cpuSince(before, 1);
    double servers = SERVERS.stream().mapToDouble(part -> used.getOrDefault(part, 0.0)).sum() / 1e6;
    return new PhaseCost(usage.wallS(), usage.cpuS(), servers, usage.peakRssBytes());
  }

  private String project() {
    return "round-" + rounds;
  }

  private static ObjectNode request(String what) {
    return Json.mapper().createObjectNode().put("do", what);
  }
}
