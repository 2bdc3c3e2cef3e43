/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the reachability metadata for native images with the compiled classes of each module:
 * what Jackson or picocli uses by reflection, and the resources of the module. {@code
 * -Dbaton.native.write=true} writes the files instead.
 *
 * <p>Foreign calls and libraries of others are described by hand in the file {@code
 * libraries/reachability-metadata.json} next to the generated one.
 */
class NativeMetadataTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().resolveSibling(".").normalize();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> REFLECTIVE =
      List.of("Lcom/fasterxml/jackson/", "Lpicocli/CommandLine$");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "protocol/common",
        "protocol/trace",
        "protocol/workflow",
        "protocol/state",
        "agents/gateway",
        "agents/loop",
        "cli",
        "runner"
      })
  void shouldDescribeWhatIsUsedByReflection(String module) throws Exception {
    Path file = file(module, "generated");
    String expected = metadata(module);

    if (Boolean.getBoolean("baton.native.write")) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, expected);
    }

    assertThat(Files.exists(file) ? Files.readString(file) : "")
        .as("%s: classes have changed; -Dbaton.native.write=true writes the file", file)
        .isEqualTo(expected);
  }

  /** An image opens no URL whose protocol is not named, for example of the object store. */
  @Test
  void shouldEnableUrlProtocolsWhereConnectionsAreOpened() throws Exception {
    List<String> modules = modulesThatUse("java/net/HttpURLConnection");

    assertThat(modules).contains("cli", "libs/store-client");
    for (String module : modules) {
      Path file = file(module, "").resolveSibling("native-image.properties");
      assertThat(file).isRegularFile();
      assertThat(Files.readString(file)).contains("Args = --enable-url-protocols=http,https\n");
    }
  }

  private static List<String> modulesThatUse(String type) throws IOException {
    List<String> modules = new ArrayList<>();
    for (String parent : List.of("", "protocol", "libs", "agents", "launchers")) {
      try (Stream<Path> folders = Files.list(ROOT.resolve(parent))) {
        for (Path folder : folders.filter(NativeMetadataTest::isProduct).sorted().toList()) {
          if (uses(folder.resolve("target/classes"), type)) {
            modules.add(ROOT.relativize(folder).toString());
          }
        }
      }
    }
    return modules;
  }

  /** Modules for tests are in no image. */
  private static boolean isProduct(Path folder) {
    String name = ROOT.relativize(folder).toString();
    return Files.isDirectory(folder.resolve("target/classes"))
        && !name.startsWith("acceptance")
        && !name.endsWith("-testkit");
  }

  private static boolean uses(Path classes, String type) throws IOException {
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path path : files.filter(file -> file.toString().endsWith(".class")).toList()) {
        for (PoolEntry entry : ClassFile.of().parse(path).constantPool()) {
          if (entry instanceof ClassEntry named && named.asInternalName().equals(type)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static Path file(String module, String kind) throws IOException {
    String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
    String artifact = pom.replaceAll("(?s).*?</parent>\\s*<artifactId>([^<]+)<.*", "$1");
    return ROOT.resolve(module)
        .resolve("src/main/resources/META-INF/native-image/dev.baton")
        .resolve(artifact)
        .resolve(kind)
        .resolve("reachability-metadata.json");
  }

  private static String metadata(String module) throws IOException {
    Path classes = ROOT.resolve(module).resolve("target/classes");
    List<ClassModel> models = new ArrayList<>();
    SortedSet<String> resources = new TreeSet<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path path : files.filter(Files::isRegularFile).toList()) {
        String name = classes.relativize(path).toString();
        if (name.endsWith(".class")) {
          models.add(ClassFile.of().parse(path));
        } else if (name.startsWith("dev/")) {
          resources.add(name);
        }
      }
    }
    SortedSet<String> types = new TreeSet<>();
    boolean data = module.startsWith("protocol/");
    for (ClassModel model : models) {
      SortedSet<String> referenced = new TreeSet<>();
      boolean used = isUsed(model, referenced);
      if (used || data && isData(model)) {
        types.add(model.thisClass().asInternalName().replace('/', '.'));
      }
      types.addAll(referenced);
    }
    return json(types, resources);
  }

  /** Records and enums of the protocol are written and read by Jackson. */
  private static boolean isData(ClassModel model) {
    return model.findAttribute(Attributes.record()).isPresent()
        || model.superclass().stream()
            .anyMatch(parent -> parent.asInternalName().equals("java/lang/Enum"));
  }

  private static boolean isUsed(ClassModel model, SortedSet<String> referenced) {
    boolean used = isAnnotated(model, referenced);
    for (var field : model.fields()) {
      used |= isAnnotated(field, referenced);
    }
    for (var method : model.methods()) {
      used |= isAnnotated(method, referenced);
      for (List<Annotation> of :
          method
              .findAttribute(Attributes.runtimeVisibleParameterAnnotations())
              .map(found -> found.parameterAnnotations())
              .orElse(List.of())) {
        used |= isReflective(of, referenced);
      }
    }
    return used;
  }

  private static boolean isAnnotated(AttributedElement element, SortedSet<String> referenced) {
    return isReflective(
        element
            .findAttribute(Attributes.runtimeVisibleAnnotations())
            .map(found -> found.annotations())
            .orElse(List.of()),
        referenced);
  }

  private static boolean isReflective(List<Annotation> all, SortedSet<String> referenced) {
    boolean reflective = false;
    for (Annotation annotation : all) {
      if (REFLECTIVE.stream().anyMatch(annotation.className().stringValue()::startsWith)) {
        reflective = true;
        annotation.elements().forEach(element -> addClasses(element.value(), referenced));
      }
    }
    return reflective;
  }

  /** Adds classes that an annotation names, such as converters, which are created by reflection. */
  private static void addClasses(AnnotationValue value, SortedSet<String> referenced) {
    switch (value) {
      case AnnotationValue.OfClass named -> {
        String type = named.className().stringValue();
        if (type.startsWith("L")) {
          referenced.add(type.substring(1, type.length() - 1).replace('/', '.'));
        }
      }
      case AnnotationValue.OfArray array ->
          array.values().forEach(element -> addClasses(element, referenced));
      case AnnotationValue.OfAnnotation nested ->
          nested
              .annotation()
              .elements()
              .forEach(element -> addClasses(element.value(), referenced));
      case AnnotationValue.OfConstant _, AnnotationValue.OfEnum _ -> {}
    }
  }

  private static String json(SortedSet<String> types, SortedSet<String> resources)
      throws IOException {
    Map<String, ArrayNode> parts = new TreeMap<>();
    if (!types.isEmpty()) {
      ArrayNode reflection = JSON.createArrayNode();
      for (String type : types) {
        reflection
            .addObject()
            .put("type", type)
            .put("allDeclaredConstructors", true)
            .put("allDeclaredMethods", true)
            .put("allDeclaredFields", true);
      }
      parts.put("reflection", reflection);
    }
    if (!resources.isEmpty()) {
      ArrayNode globs = JSON.createArrayNode();
      resources.forEach(name -> globs.addObject().put("glob", name));
      parts.put("resources", globs);
    }
    ObjectNode root = JSON.createObjectNode();
    parts.forEach(root::set);
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
  }
}
