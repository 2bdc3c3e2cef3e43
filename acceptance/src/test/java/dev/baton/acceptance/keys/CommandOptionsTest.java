/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks that the code of every command reads each of its options, and that docs/cli.md has each
 * option.
 */
class CommandOptionsTest {
  private static final String OPTION = "picocli/CommandLine$Option";

  @SuppressWarnings("NullAway.Init")
  private static CompiledClasses cli;

  /** An option, where it is declared, and whether the code there reads its value. */
  private record Option(List<String> names, String where, boolean read) {
    String longest() {
      return names.stream().max(Comparator.comparingInt(String::length)).orElseThrow();
    }
  }

  @BeforeAll
  static void read() throws IOException {
    cli = CompiledClasses.of("cli");
  }

  private static List<Option> options() {
    List<Option> options = new ArrayList<>();
    for (ClassModel model : cli.classes) {
      String owner = CompiledClasses.name(model);
      if (!owner.startsWith("dev.baton.")) {
        continue; // Options of the library, which is packaged with the CLI.
      }
      for (FieldModel field : model.fields()) {
        List<String> names = CompiledClasses.annotated(field, OPTION, "names");
        String member = owner + "." + field.fieldName().stringValue();
        if (!names.isEmpty()) {
          options.add(new Option(names, member, !cli.usersOf(member).isEmpty()));
        }
      }
      model.methods().forEach(method -> options.addAll(ofParameters(owner, method)));
    }
    return options;
  }

  private static List<Option> ofParameters(String owner, MethodModel method) {
    List<Option> options = new ArrayList<>();
    method
        .findAttribute(Attributes.runtimeVisibleParameterAnnotations())
        .ifPresent(
            all -> {
              int slot = method.flags().has(java.lang.reflect.AccessFlag.STATIC) ? 0 : 1;
              List<ClassDesc> types = method.methodTypeSymbol().parameterList();
              for (int i = 0; i < types.size(); i++) {
                for (Annotation annotation : all.parameterAnnotations().get(i)) {
                  if (CompiledClasses.is(annotation, OPTION)) {
                    List<String> names = CompiledClasses.texts(annotation, "names");
                    String where = owner + "." + method.methodName().stringValue();
                    options.add(new Option(names, where, loads(method, slot)));
                  }
                }
                String type = types.get(i).descriptorString();
                slot += type.equals("J") || type.equals("D") ? 2 : 1;
              }
            });
    return options;
  }

  private static boolean loads(MethodModel method, int slot) {
    return method.code().stream()
        .flatMap(code -> code.elementStream())
        .anyMatch(element -> element instanceof LoadInstruction load && load.slot() == slot);
  }

  @Test
  void shouldReadEveryOption() {
    List<Option> options = options();

    assertThat(options).hasSizeGreaterThan(80);
    assertThat(options).filteredOn(option -> !option.read()).isEmpty();
  }

  @Test
  void shouldDocumentEveryOption() throws IOException {
    String page = Files.readString(CompiledClasses.file("docs/cli.md"));

    assertThat(options())
        .filteredOn(
            option ->
                !Pattern.compile("(?<![\\w-])" + Pattern.quote(option.longest()) + "(?![\\w-])")
                    .matcher(page)
                    .find())
        .isEmpty();
  }
}
