/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.initializers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.acceptance.ProductClassImporter;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.constant.ConstantDescs;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No static initializer waits for a lock of Jackson. Until Java 26, a virtual thread that waits for
 * the initialization of a class occupies its carrier. When enough of them occupy all carriers, a
 * virtual thread that holds the lock, or is the next to get it, never continues: the process hangs.
 */
class ClassInitializationTest {
  /** The programs whose libraries the parts use. */
  private static final List<String> PROGRAMS =
      List.of("orchestrator", "checkpoint-store", "runner");

  private static final Duration START = Duration.ofSeconds(60);

  /** Longer than the work of an initializer on a busy machine. */
  private static final Duration WAIT = Duration.ofSeconds(15);

  private final List<String> problems = new CopyOnWriteArrayList<>();
  private volatile String current = "";

  private static Stream<Path> files(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ClassModel parse(Path file) {
    try {
      return ClassFile.of().parse(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean initialized(ClassModel type) {
    return type.methods().stream()
        .anyMatch(method -> method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME));
  }

  /** Returns the names of the classes with a static initializer, without generated stubs. */
  private static List<String> initializers() {
    return ProductClassImporter.folders().stream()
        .flatMap(ClassInitializationTest::files)
        .filter(file -> file.toString().endsWith(".class"))
        .map(ClassInitializationTest::parse)
        .filter(ClassInitializationTest::initialized)
        .map(type -> type.thisClass().asInternalName().replace('/', '.'))
        .filter(name -> !name.startsWith("dev.baton.protocol.grpc."))
        .sorted()
        .toList();
  }

  private static Path libraries(String program) {
    return ProductClassImporter.ROOT.resolve(program).resolve("target/quarkus-app/lib");
  }

  /** Returns a loader in which no class of the project or of Jackson is initialized. */
  private static URLClassLoader fresh() throws IOException {
    List<URL> path = new ArrayList<>();
    for (Path each :
        Stream.of(
                ProductClassImporter.folders().stream(),
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                    .map(Path::of),
                PROGRAMS.stream()
                    .map(ClassInitializationTest::libraries)
                    .flatMap(ClassInitializationTest::files))
            .flatMap(paths -> paths)
            .toList()) {
      path.add(each.toUri().toURL());
    }
    return new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  private void initialize(Iterator<String> names, ClassLoader loader) {
    while (names.hasNext()) {
      String name = names.next();
      current = name;
      try {
        Class.forName(name, true, loader);
      } catch (ClassNotFoundException | LinkageError e) {
        problems.add(name + ": " + e);
      }
    }
  }

  /** Initializes the classes; when one waits, another thread continues with the next one. */
  private void initializeAll(List<String> names, ClassLoader loader) throws InterruptedException {
    Iterator<String> left = names.iterator();
    while (left.hasNext()) {
      Thread thread =
          Thread.ofPlatform().daemon().name("initializers").start(() -> initialize(left, loader));
      String seen = "";
      while (!thread.join(WAIT) && !current.equals(seen)) {
        seen = current;
      }
      if (thread.isAlive()) {
        problems.add(
            current
                + " waits:\n  "
                + Arrays.stream(thread.getStackTrace())
                    .map(StackTraceElement::toString)
                    .collect(Collectors.joining("\n  ")));
      }
    }
  }

  @Test
  void shouldNotWaitForLocksOfJackson() throws Exception {
    List<String> names = initializers();
    assertThat(names).hasSizeGreaterThan(500);
    CountDownLatch held = new CountDownLatch(2);
    CountDownLatch end = new CountDownLatch(1);
    // Not closed: after a failure its classes are still in use.
    URLClassLoader loader = fresh();
    loader
        .loadClass(JacksonLockHolder.class.getName())
        .getMethod("hold", CountDownLatch.class, CountDownLatch.class)
        .invoke(null, held, end);
    assertThat(held.await(START.toSeconds(), TimeUnit.SECONDS)).as("locks are held").isTrue();

    initializeAll(names, loader);
    end.countDown();

    assertThat(problems).isEmpty();
  }
}
