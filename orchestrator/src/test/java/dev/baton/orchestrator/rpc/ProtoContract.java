/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.rpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Lists what programs rely on in a .proto file, one fact per line: calls with their messages,
 * fields with number, name, type and cardinality, and enum values. A change breaks a program if and
 * only if a line disappears.
 */
final class ProtoContract {
  private ProtoContract() {}

  static SortedSet<String> facts(List<FileDescriptor> files) {
    SortedSet<String> facts = new TreeSet<>();
    for (FileDescriptor file : files) {
      file.getServices().forEach(service -> add(service, facts));
      file.getMessageTypes().forEach(message -> add(message, facts));
      file.getEnumTypes().forEach(type -> add(type, facts));
    }
    return facts;
  }

  private static void add(ServiceDescriptor service, SortedSet<String> facts) {
    for (MethodDescriptor call : service.getMethods()) {
      facts.add(
          "rpc %s(%s%s) returns (%s%s)"
              .formatted(
                  call.getFullName(),
                  call.isClientStreaming() ? "stream " : "",
                  call.getInputType().getFullName(),
                  call.isServerStreaming() ? "stream " : "",
                  call.getOutputType().getFullName()));
    }
  }

  private static void add(Descriptor message, SortedSet<String> facts) {
    for (FieldDescriptor field : message.getFields()) {
      facts.add(
          "field %s = %d %s%s"
              .formatted(field.getFullName(), field.getNumber(), cardinality(field), type(field)));
    }
    message.getNestedTypes().forEach(nested -> add(nested, facts));
    message.getEnumTypes().forEach(nested -> add(nested, facts));
  }

  private static String cardinality(FieldDescriptor field) {
    if (field.isRepeated()) {
      return "repeated ";
    }
    if (field.getRealContainingOneof() != null) {
      return "oneof " + field.getRealContainingOneof().getName() + " ";
    }
    return field.hasPresence() && field.getJavaType() != FieldDescriptor.JavaType.MESSAGE
        ? "optional "
        : "";
  }

  private static String type(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case MESSAGE -> field.getMessageType().getFullName();
      case ENUM -> field.getEnumType().getFullName();
      case INT, LONG, FLOAT, DOUBLE, BOOLEAN, STRING, BYTE_STRING ->
          field.getType().name().toLowerCase(java.util.Locale.ROOT);
    };
  }

  private static void add(EnumDescriptor type, SortedSet<String> facts) {
    type.getValues()
        .forEach(
            value ->
                facts.add(
                    "value %s.%s = %d"
                        .formatted(type.getFullName(), value.getName(), value.getNumber())));
  }
}
