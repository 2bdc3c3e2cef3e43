/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.helm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs Helm with folders of its own. */
final class HelmInvoker {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final long MAX_SECONDS = 60;

  private final Path program;
  private final Path folder;

  /**
   * @param folder for Helm's own files and for outputs
   */
  HelmInvoker(Path program, Path folder) {
    this.program = program;
    this.folder = folder;
  }

  /** Exit code, and everything that Helm printed. */
  record Result(int code, String output) {}

  Result run(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(arguments);
    Path output = Files.createTempFile(folder, "helm", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    for (String kind : List.of("CACHE", "CONFIG", "DATA")) {
      builder.environment().put("HELM_" + kind + "_HOME", folder.toString());
    }
    Process helm = builder.start();
    if (!helm.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
      helm.destroyForcibly();
      throw new IOException("%s has not ended within %d s".formatted(command, MAX_SECONDS));
    }
    return new Result(helm.exitValue(), Files.readString(output));
  }

  /** Returns the objects that a chart renders. */
  List<JsonNode> template(Path chart, String kubernetes, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> all =
        new ArrayList<>(List.of("template", "baton", chart.toString(), "--namespace", "baton"));
    all.addAll(List.of("--kube-version", kubernetes));
    all.addAll(arguments);
    Result result = run(all);
    if (result.code() != 0) {
      throw new AssertionError(result.output());
    }
    return objects(result.output());
  }

  /** Returns the documents of a YAML text, without empty ones. */
  static List<JsonNode> objects(String yaml) throws IOException {
    List<JsonNode> objects = new ArrayList<>();
    try (MappingIterator<JsonNode> documents = YAML.readerFor(JsonNode.class).readValues(yaml)) {
      while (documents.hasNext()) {
        JsonNode document = documents.next();
        if (document != null && document.isObject()) {
          objects.add(document);
        }
      }
    }
    return objects;
  }
}
