/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.keys;

import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Analyzes compiled classes of the project: which methods they call and which fields they read. */
final class CompiledClasses {
  private static final Path ROOT = Objects.requireNonNull(Path.of("").toAbsolutePath().getParent());

  final List<ClassModel> classes = new ArrayList<>();

  /** Maps {@code owner.method} or {@code owner.field} to the classes that call or read it. */
  private final Map<String, Set<String>> uses = new TreeMap<>();

  /** Reads the main classes of modules. */
  static CompiledClasses of(String... modules) throws IOException {
    CompiledClasses read = new CompiledClasses();
    for (String module : modules) {
      try (Stream<Path> files = Files.walk(file(module).resolve("target/classes"))) {
        for (Path file : files.filter(it -> it.toString().endsWith(".class")).toList()) {
          read.add(ClassFile.of().parse(file));
        }
      }
    }
    return read;
  }

  /** Returns the path of a file in the project. */
  static Path file(String path) {
    return ROOT.resolve(path);
  }

  private void add(ClassModel model) {
    classes.add(model);
    String user = name(model);
    for (MethodModel method : model.methods()) {
      method.code().ifPresent(code -> code.forEach(element -> use(element, user)));
    }
  }

  private void use(CodeElement element, String user) {
    if (element instanceof InvokeInstruction call) {
      use(call.owner().asInternalName(), call.name().stringValue(), user);
    } else if (element instanceof FieldInstruction field
        && (field.opcode() == Opcode.GETFIELD || field.opcode() == Opcode.GETSTATIC)) {
      use(field.owner().asInternalName(), field.name().stringValue(), user);
    } else if (element instanceof InvokeDynamicInstruction dynamic) {
      for (ConstantDesc argument : dynamic.bootstrapArgs()) {
        if (argument instanceof DirectMethodHandleDesc handle) {
          String owner = handle.owner().descriptorString();
          use(owner.substring(1, owner.length() - 1), handle.methodName(), user);
        }
      }
    }
  }

  private void use(String owner, String member, String user) {
    uses.computeIfAbsent(owner.replace('/', '.') + "." + member, key -> new TreeSet<>()).add(user);
  }

  static String name(ClassModel model) {
    return model.thisClass().asInternalName().replace('/', '.');
  }

  ClassModel find(String name) {
    return classes.stream()
        .filter(model -> name(model).equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no class " + name));
  }

  /** Returns the classes that use a member, as {@code package.Owner$Inner.member}. */
  Set<String> usersOf(String member) {
    return uses.getOrDefault(member, Set.of());
  }

  /** Returns the strings of an annotation's element; empty without the annotation. */
  static List<String> annotated(AttributedElement on, String annotation, String element) {
    return on.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
        .flatMap(all -> all.annotations().stream())
        .filter(it -> is(it, annotation))
        .flatMap(it -> texts(it, element).stream())
        .toList();
  }

  static boolean is(Annotation annotation, String name) {
    return annotation.className().stringValue().endsWith(name + ";");
  }

  static List<String> texts(Annotation annotation, String element) {
    return annotation.elements().stream()
        .filter(it -> it.name().stringValue().equals(element))
        .map(AnnotationElement::value)
        .flatMap(
            value ->
                value instanceof AnnotationValue.OfArray array
                    ? array.values().stream()
                    : Stream.of(value))
        .filter(AnnotationValue.OfString.class::isInstance)
        .map(value -> ((AnnotationValue.OfString) value).stringValue())
        .toList();
  }
}
