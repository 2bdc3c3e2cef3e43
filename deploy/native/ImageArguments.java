/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Prints arguments that the program native-image of a GraalVM computes before it starts the builder.
 *
 * <p>{@code exports FOLDER}: the --add-exports for the builder, whose jars are in the folder. A JDK
 * of GraalVM has these exports in its module descriptors. A JVM takes at most 1000 of these options,
 * so that only modules the builder reaches are named.
 *
 * <p>{@code metadata CLASS-PATH}: the options for the reachability metadata in the jars, and those of
 * their files {@code native-image.properties}.
 */
class ImageArguments {
  private static final Set<String> EXPORTING =
      Set.of(
          "java.base",
          "java.instrument",
          "java.logging",
          "java.management",
          "java.net.http",
          "java.rmi",
          "jdk.attach",
          "jdk.httpserver",
          "jdk.internal.jvmstat",
          "jdk.internal.vm.ci",
          "jdk.jartool",
          "jdk.jfr",
          "jdk.jlink",
          "jdk.management",
          "jdk.management.agent",
          "jdk.zipfs");

  private static final Map<String, String> OPTIONS =
      Map.of(
          "reachability-metadata.json", "ReachabilityMetadataResources",
          "jni-config.json", "JNIConfigurationResources",
          "proxy-config.json", "DynamicProxyConfigurationResources",
          "reflect-config.json", "ReflectionConfigurationResources",
          "resource-config.json", "ResourceConfigurationResources",
          "serialization-config.json", "SerializationConfigurationResources");

  private static final String PROTOCOLS = "--enable-url-protocols=";

  private ImageArguments() {}

  public static void main(String[] arguments) throws IOException {
    switch (arguments[0]) {
      case "exports" -> printExports(Path.of(arguments[1]));
      case "metadata" -> printMetadata(arguments[1]);
      default -> throw new IllegalArgumentException("unknown argument " + arguments[0]);
    }
  }

  private static void printExports(Path folder) {
    var builder = ModuleFinder.of(folder).findAll();
    Set<String> targets = new TreeSet<>(Set.of("ALL-UNNAMED"));
    builder.forEach(module -> targets.add(module.descriptor().name()));
    String to = String.join(",", targets);
    for (var module : ModuleFinder.ofSystem().findAll()) {
      if (EXPORTING.contains(module.descriptor().name())) {
        printExports(module.descriptor(), to);
      }
    }
    for (var module : builder) {
      String name = module.descriptor().name();
      // These two export what they must by their own descriptors, and have too many packages.
      if (!name.equals("jdk.graal.compiler") && !name.equals("org.graalvm.nativeimage.builder")) {
        printExports(module.descriptor(), to);
      }
    }
  }

  private static void printExports(ModuleDescriptor module, String to) {
    for (String name : new TreeSet<>(module.packages())) {
      System.out.println("--add-exports=" + module.name() + "/" + name + "=" + to);
    }
  }

  private static void printMetadata(String classPath) throws IOException {
    Map<String, Set<String>> found = new TreeMap<>();
    for (String jar : classPath.split(":")) {
      try (ZipFile zip = new ZipFile(jar)) {
        for (ZipEntry entry : Collections.list(zip.entries())) {
          String path = entry.getName();
          String name = path.substring(path.lastIndexOf('/') + 1);
          if (!path.startsWith("META-INF/native-image/")) {
            continue;
          }
          String option = OPTIONS.get(name);
          if (option != null) {
            found.computeIfAbsent(option, _ -> new TreeSet<>()).add(path);
          } else if (name.equals("native-image.properties")) {
            Properties properties = new Properties();
            properties.load(zip.getInputStream(entry));
            addArguments(properties.getProperty("Args", ""), path, found);
          }
        }
      }
    }
    found.forEach(
        (option, values) -> System.out.println("-H:" + option + "=" + String.join(",", values)));
  }

  /** Adds arguments of a file; fails for those that it does not know. */
  private static void addArguments(String arguments, String path, Map<String, Set<String>> found) {
    for (String argument : arguments.split("\\s+")) {
      String[] parts = argument.split("=", 2);
      if (argument.startsWith(PROTOCOLS)) {
        found
            .computeIfAbsent("EnableURLProtocols", _ -> new TreeSet<>())
            .addAll(List.of(parts[1].split(",")));
      } else if (!argument.isEmpty()
          && !(parts.length == 2 && OPTIONS.containsValue(parts[0].replace("-H:", "")))) {
        // The files of the options in OPTIONS are found by their names.
        throw new IllegalArgumentException(path + ": unknown argument " + argument);
      }
    }
  }
}
