/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the compiled classes of the product's modules. */
public final class ProductClassImporter {
  /** The folder of the project. */
  public static final Path ROOT = Path.of("").toAbsolutePath().resolveSibling(".");

  private static final List<String> PARTS =
      List.of(
          "protocol/common",
          "protocol/trace",
          "protocol/workflow",
          "protocol/state",
          "libs/snapshot",
          "libs/milestone",
          "libs/trace-sink",
          "libs/lease",
          "libs/os-process",
          "libs/service",
          "libs/store-client",
          "launchers/api",
          "launchers/process",
          "launchers/docker",
          "launchers/kubernetes",
          "agents/driver",
          "agents/gateway",
          "agents/loop",
          "agents/mcp",
          "operator",
          "orchestrator",
          "checkpoint-store",
          "runner",
          "cli",
          "tools/standalone/stack",
          "tools/chaos");

  private ProductClassImporter() {}

  /** Returns the folders of their classes. */
  public static List<Path> folders() {
    List<Path> folders =
        PARTS.stream().map(part -> ROOT.resolve(part).resolve("target/classes")).toList();
    assertThat(folders).allMatch(Files::isDirectory, "compiled");
    return folders;
  }

  /** Reads all classes. */
  public static JavaClasses read() {
    return new ClassFileImporter().importPaths(folders());
  }
}
