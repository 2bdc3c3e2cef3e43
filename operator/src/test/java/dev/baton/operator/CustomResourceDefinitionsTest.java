/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CRDPostProcessor;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.model.annotation.Plural;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks the committed definitions of the kinds against the records. To write them again after a
 * record has changed: {@code ./mvnw -pl operator test -Dtest=CustomResourceDefinitionsTest
 * -Dbaton.crds.write=true}.
 */
class CustomResourceDefinitionsTest {
  private static final Path FOLDER = Path.of("..", "deploy", "kubernetes", "crds");

  private static final List<Class<? extends HasMetadata>> KINDS =
      List.of(
          WorkflowCustomResource.class, RunCustomResource.class, RunnerPoolCustomResource.class);

  @TempDir Path generated;

  @Test
  void shouldCommitTheDefinitionsAsTheRecordsHaveThem() throws IOException {
    new CRDGenerator()
        .customResourceClasses(KINDS)
        .forCRDVersions("v1")
        .withMinQuotes(true)
        .withPostProcessor(
            new CRDPostProcessor() {
              @Override
              public HasMetadata process(HasMetadata definition, String version) {
                return keepUnknown(inOrder(definition));
              }
            })
        .inOutputDir(generated.toFile())
        .generate();
    Map<String, String> expected = new TreeMap<>();
    for (var file : files(generated).entrySet()) {
      expected.put(file.getKey().replace("-v1.yml", ".yaml"), file.getValue());
    }
    if (Boolean.getBoolean("baton.crds.write")) {
      Files.createDirectories(FOLDER);
      for (var file : expected.entrySet()) {
        Files.writeString(FOLDER.resolve(file.getKey()), file.getValue());
      }
    }

    assertThat(expected).hasSize(3);
    assertThat(files(FOLDER)).isEqualTo(expected);
  }

  /** Lets the API server keep unknown fields of pools, so that a condition names them. */
  private static HasMetadata keepUnknown(HasMetadata definition) {
    CustomResourceDefinition kind = (CustomResourceDefinition) definition;
    if (kind.getSpec().getNames().getPlural().equals("runnerpools")) {
      kind.getSpec()
          .getVersions()
          .forEach(
              version ->
                  Objects.requireNonNull(
                          version.getSchema().getOpenAPIV3Schema().getProperties().get("spec"))
                      .setXKubernetesPreserveUnknownFields(true));
    }
    return kind;
  }

  /** Sorts the columns as their annotations are; the generator sorts them by path. */
  private static HasMetadata inOrder(HasMetadata definition) {
    CustomResourceDefinition kind = (CustomResourceDefinition) definition;
    List<String> names =
        KINDS.stream()
            .filter(
                type ->
                    type.getAnnotation(Plural.class)
                        .value()
                        .equals(kind.getSpec().getNames().getPlural()))
            .flatMap(type -> Stream.of(type.getAnnotationsByType(AdditionalPrinterColumn.class)))
            .map(AdditionalPrinterColumn::name)
            .toList();
    assertThat(names).isNotEmpty();
    kind.getSpec()
        .getVersions()
        .forEach(
            version -> {
              List<CustomResourceColumnDefinition> columns =
                  new ArrayList<>(version.getAdditionalPrinterColumns());
              columns.sort(Comparator.comparingInt(column -> names.indexOf(column.getName())));
              version.setAdditionalPrinterColumns(columns);
            });
    return kind;
  }

  private static Map<String, String> files(Path folder) throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        found.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return found;
  }
}
