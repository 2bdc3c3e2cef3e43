/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.SecretPlaceholder;
import dev.baton.protocol.expression.Template;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decodes the secrets of a workflow, and checks where its templates use them. */
final class SecretDecoder {
  private static final List<String> KINDS = List.of("env", "file", "vault", "command");
  private static final String ALLOWED =
      "{env: NAME}, {file: /path}, {vault: path#field} or {command: [program, …]}";
  private static final int MAX_TEXT = 4_096;

  private final DefinitionValueDecoder values;
  private final DefinitionProblemCollector problems;

  SecretDecoder(DefinitionValueDecoder values) {
    this.values = values;
    this.problems = values.problems();
  }

  /** Decodes the references, and keeps the names for the checks of templates. */
  Map<String, SecretReference> decode(DefinitionCursor place) {
    Map<String, SecretReference> decoded = new LinkedHashMap<>();
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place, values, "names, each with a reference: " + ALLOWED);
    if (found.isEmpty()) {
      return decoded;
    }
    List<LocatedNode.Entry> entries = found.get().members().entries();
    if (entries.size() > SecretReference.MAX_SECRETS) {
      problems.error(
          place,
          "there are " + entries.size() + " secrets",
          "at most " + SecretReference.MAX_SECRETS);
    }
    for (LocatedNode.Entry entry : entries) {
      DefinitionCursor at = place.member(entry.key(), entry.value());
      values.notes().secrets().add(entry.key());
      if (!SecretReference.NAME.matcher(entry.key()).matches()) {
        problems.error(
            entry.keyMark(),
            at.step(),
            at.path(),
            "'" + entry.key() + "' is not a secret's name",
            SecretReference.NAME.pattern());
      }
      reference(at).ifPresent(reference -> decoded.put(entry.key(), reference));
    }
    return decoded;
  }

  private Optional<SecretReference> reference(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar) {
      // Not shown: it may be the value itself.
      problems.error(place, "a secret is a reference, never its value", ALLOWED);
      return Optional.empty();
    }
    Optional<MappingFieldReader> found = MappingFieldReader.of(place, values, ALLOWED);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MappingFieldReader fields = found.get();
    fields.allowOnly(KINDS);
    List<String> kinds = KINDS.stream().filter(kind -> fields.get(kind).isPresent()).toList();
    if (kinds.size() != 1) {
      problems.error(place, "a secret needs exactly one reference", ALLOWED);
      return Optional.empty();
    }
    DefinitionCursor at = fields.get(kinds.getFirst()).orElseThrow();
    return switch (kinds.getFirst()) {
      case "env" -> variable(at);
      case "file" -> file(at);
      case "vault" -> vault(at);
      default -> command(at);
    };
  }

  private Optional<SecretReference> variable(DefinitionCursor place) {
    Optional<String> name = plain(place);
    if (name.isPresent() && !SecretReference.VARIABLE.matcher(name.get()).matches()) {
      problems.error(
          place,
          "'" + name.get() + "' is not a variable's name",
          SecretReference.VARIABLE.pattern());
      return Optional.empty();
    }
    return name.map(SecretReference.Env::new);
  }

  private Optional<SecretReference> file(DefinitionCursor place) {
    Optional<String> path = plain(place);
    if (path.isPresent()
        && (!path.get().startsWith("/")
            || !Path.of(path.get()).normalize().toString().equals(path.get()))) {
      problems.error(
          place,
          "'" + path.get() + "' is not the path of a file",
          "an absolute path without '.', '..' and '//'");
      return Optional.empty();
    }
    return path.map(SecretReference.File::new);
  }

  private Optional<SecretReference> vault(DefinitionCursor place) {
    Optional<String> text = plain(place);
    Optional<SecretReference> reference = text.flatMap(SecretReference::vault);
    if (text.isPresent() && reference.isEmpty()) {
      problems.error(
          place,
          "'" + text.get() + "' is not a secret of Vault",
          "the path of Vault's API with its mount, '#', and a field, such as secret/data/ci/npm#token");
    }
    return reference;
  }

  private Optional<SecretReference> command(DefinitionCursor place) {
    List<String> words = new ArrayList<>();
    List<DefinitionCursor> items = values.texts(place);
    items.forEach(item -> plain(item).ifPresent(words::add));
    if (words.isEmpty() || words.size() != items.size()) {
      return Optional.empty();
    }
    if (words.getFirst().isBlank()) {
      problems.error(items.getFirst(), "the command is empty", "a program and its arguments");
      return Optional.empty();
    }
    return Optional.of(new SecretReference.Command(words));
  }

  private Optional<String> plain(DefinitionCursor place) {
    Optional<String> text = values.text(place, MAX_TEXT);
    if (text.isPresent() && Template.isTemplate(text.get())) {
      problems.error(place, "a reference has no '${{'", "plain text");
      return Optional.empty();
    }
    return text;
  }

  /** Reports the secrets of a template at a place where there can be none. */
  static void refuse(
      DefinitionValueDecoder values, DefinitionCursor place, List<SecretPlaceholder> secrets) {
    for (SecretPlaceholder secret : secrets) {
      report(
          values,
          place,
          secret,
          "secrets." + secret.name() + " cannot be used here",
          "in 'env' of shell steps, and in 'headers' and 'body' of http steps");
    }
  }

  /** Reports the secrets of a template that the workflow does not declare. */
  static void check(
      DefinitionValueDecoder values, DefinitionCursor place, List<SecretPlaceholder> secrets) {
    for (SecretPlaceholder secret : secrets) {
      if (!values.notes().secrets().contains(secret.name())) {
        report(
            values,
            place,
            secret,
            "unknown secret '"
                + secret.name()
                + "'"
                + SpellingSuggester.didYouMean(secret.name(), values.notes().secrets()),
            values.notes().secrets().isEmpty()
                ? "a secret in the workflow's 'secrets'"
                : String.join(", ", values.notes().secrets()));
      }
    }
  }

  private static void report(
      DefinitionValueDecoder values,
      DefinitionCursor place,
      SecretPlaceholder secret,
      String message,
      String allowed) {
    SourcePosition mark =
        place.node() instanceof LocatedNode.Scalar scalar
            ? scalar.inside(secret.line(), secret.column())
            : place.node().mark();
    values.problems().error(mark, place.step(), place.path(), message, allowed);
  }
}
