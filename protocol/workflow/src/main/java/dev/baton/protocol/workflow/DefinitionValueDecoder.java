/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.expression.Expression;
import dev.baton.protocol.expression.ExpressionException;
import dev.baton.protocol.expression.ScopeReference;
import dev.baton.protocol.expression.Template;
import dev.baton.protocol.expression.TemplateTree;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decodes single values; reports problems instead of throwing exceptions. Records the references of
 * expressions.
 *
 * @param trusted whether the definition was checked before: then its schemas are not checked again,
 *     since that is slow
 */
record DefinitionValueDecoder(
    DefinitionProblemCollector problems, DefinitionSymbolTable notes, boolean trusted) {
  private static final int MAX_TEXTS = 100;

  Optional<String> text(DefinitionCursor place, int maxLength) {
    if (!(place.node() instanceof LocatedNode.Scalar scalar) || !scalar.value().isTextual()) {
      return wrong(
          place, "this must be text, not " + place.node().typeName(), "text; put it in quotes");
    }
    String text = scalar.value().textValue();
    if (text.length() > maxLength) {
      return wrong(place, "the text has " + text.length() + " characters", "at most " + maxLength);
    }
    if (text.indexOf('\0') >= 0) {
      return wrong(place, "the text contains a NUL character", "text without NUL");
    }
    return Optional.of(text);
  }

  Optional<Integer> integer(DefinitionCursor place, int min, int max) {
    String allowed = min + " to " + max;
    if (!(place.node() instanceof LocatedNode.Scalar scalar)
        || !scalar.value().isIntegralNumber()) {
      return wrong(place, "this must be a whole number, not " + place.node().typeName(), allowed);
    }
    JsonNode value = scalar.value();
    if (!value.canConvertToInt() || value.intValue() < min || value.intValue() > max) {
      return wrong(place, value + " is out of bounds", allowed);
    }
    return Optional.of(value.intValue());
  }

  /** Decodes a boolean, or its word: attributes in DOT are text. */
  Optional<Boolean> flag(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar scalar) {
      JsonNode value = scalar.value();
      if (value.isBoolean() || value.asText().equals("true") || value.asText().equals("false")) {
        return Optional.of(value.asBoolean());
      }
    }
    return wrong(place, "this must be true or false", "true, false");
  }

  Optional<Duration> duration(DefinitionCursor place, Duration min, Duration max) {
    if (place.node() instanceof LocatedNode.Scalar scalar && scalar.value().isNumber()) {
      return wrong(
          place, "the duration " + scalar.value() + " has no unit", DurationParser.ALLOWED);
    }
    Optional<String> text = text(place, 100);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Optional<Duration> duration = DurationParser.parse(text.get());
    if (duration.isEmpty()) {
      return wrong(place, "'" + text.get() + "' is not a duration", DurationParser.ALLOWED);
    }
    if (duration.get().compareTo(min) < 0 || duration.get().compareTo(max) > 0) {
      return wrong(
          place, "'" + text.get() + "' is out of bounds", min + " to " + max + " (ISO-8601)");
    }
    return duration;
  }

  <T> Optional<T> choice(DefinitionCursor place, Map<String, T> choices) {
    Optional<String> text = text(place, 100);
    if (text.isPresent() && !choices.containsKey(text.get())) {
      return wrong(
          place,
          "'"
              + text.get()
              + "' is not known"
              + SpellingSuggester.didYouMean(text.get(), choices.keySet()),
          String.join(", ", choices.keySet()));
    }
    return text.flatMap(word -> Optional.ofNullable(choices.get(word)));
  }

  /** Returns choices in the order of their arguments: name, value, name, value. */
  static <T> Map<String, T> choices(String a, T x, String b, T y) {
    Map<String, T> choices = new LinkedHashMap<>();
    choices.put(a, x);
    choices.put(b, y);
    return choices;
  }

  /**
   * Returns the places of a single value or of the items of a list; none, with an error, for
   * another node and for a list that is empty or too long.
   *
   * @param what the items are, in the plural
   */
  List<DefinitionCursor> oneOrMore(DefinitionCursor place, int most, String what, String allowed) {
    if (place.node() instanceof LocatedNode.Scalar) {
      return List.of(place);
    }
    if (!(place.node() instanceof LocatedNode.Items(_, List<LocatedNode> items))
        || items.isEmpty()
        || items.size() > most) {
      problems.error(place, "this is not a list of " + what, allowed);
      return List.of();
    }
    List<DefinitionCursor> places = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      places.add(place.item(i, items.get(i)));
    }
    return places;
  }

  /** Returns the places of a text or of a list of texts, as {@link #oneOrMore} does. */
  List<DefinitionCursor> texts(DefinitionCursor place) {
    return oneOrMore(place, MAX_TEXTS, "texts", "1 to " + MAX_TEXTS + " texts, or a single one");
  }

  Optional<Expression> expression(DefinitionCursor place, DefinitionSymbolTable.Moment moment) {
    Optional<Expression> compiled = eventExpression(place);
    compiled.ifPresent(expression -> note(place, expression.references(), moment));
    return compiled;
  }

  /** Decodes an expression over something else than input, steps and run. */
  Optional<Expression> eventExpression(DefinitionCursor place) {
    Optional<String> jq = text(place, Expression.MAX_LENGTH);
    if (jq.isEmpty()) {
      return Optional.empty();
    }
    if (jq.get().strip().startsWith(Template.OPEN)) {
      return wrong(place, "this is an expression already", "jq without '${{' and '}}'");
    }
    try {
      return Optional.of(Expression.compile(jq.get()));
    } catch (ExpressionException e) {
      return wrong(place, e);
    }
  }

  /** Decodes a template without secrets; numbers and booleans count as text. */
  Optional<Template> template(DefinitionCursor place) {
    Optional<Template> template = anyTemplate(place);
    template.ifPresent(found -> SecretDecoder.refuse(this, place, found.secrets()));
    return template;
  }

  /** Decodes a template that may contain the workflow's secrets. */
  Optional<Template> secretTemplate(DefinitionCursor place) {
    Optional<Template> template = anyTemplate(place);
    template.ifPresent(found -> SecretDecoder.check(this, place, found.secrets()));
    return template;
  }

  private Optional<Template> anyTemplate(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar scalar
        && (scalar.value().isNumber() || scalar.value().isBoolean())) {
      return Optional.of(Template.compile(scalar.value().asText()));
    }
    return text(place, Template.MAX_LENGTH).flatMap(text -> compile(place, text));
  }

  private Optional<Template> compile(DefinitionCursor place, String text) {
    try {
      Template template = Template.compile(text);
      note(place, template.references(), DefinitionSymbolTable.Moment.BEFORE_STEP);
      return Optional.of(template);
    } catch (ExpressionException e) {
      return wrong(place, e);
    }
  }

  /** Decodes JSON whose strings are templates without secrets. */
  TemplateTree tree(DefinitionCursor place) {
    return tree(place, this::template);
  }

  /** Decodes JSON whose strings are templates that may contain secrets. */
  TemplateTree secretTree(DefinitionCursor place) {
    return tree(place, this::secretTemplate);
  }

  private TemplateTree tree(
      DefinitionCursor place, Function<DefinitionCursor, Optional<Template>> text) {
    return switch (place.node()) {
      case LocatedNode.Scalar scalar ->
          scalar.value().isTextual()
              ? text.apply(place)
                  .<TemplateTree>map(TemplateTree.Text::new)
                  .orElseGet(() -> new TemplateTree.Value(scalar.value()))
              : new TemplateTree.Value(scalar.value());
      case LocatedNode.Items(_, List<LocatedNode> items) -> {
        TemplateTree[] trees = new TemplateTree[items.size()];
        for (int i = 0; i < trees.length; i++) {
          trees[i] = tree(place.item(i, items.get(i)), text);
        }
        yield new TemplateTree.Items(List.of(trees));
      }
      case LocatedNode.Members(_, List<LocatedNode.Entry> entries) -> {
        Map<String, TemplateTree> members = new TreeMap<>();
        entries.forEach(
            entry ->
                members.put(entry.key(), tree(place.member(entry.key(), entry.value()), text)));
        yield new TemplateTree.Members(members);
      }
    };
  }

  private void note(
      DefinitionCursor place,
      List<ScopeReference> references,
      DefinitionSymbolTable.Moment moment) {
    for (ScopeReference reference : references) {
      notes
          .uses()
          .add(
              new DefinitionSymbolTable.Use(
                  place,
                  inside(place.node(), reference.line(), reference.column()),
                  reference,
                  moment));
    }
  }

  private static SourcePosition inside(LocatedNode node, int line, int column) {
    return node instanceof LocatedNode.Scalar scalar ? scalar.inside(line, column) : node.mark();
  }

  private <T> Optional<T> wrong(DefinitionCursor place, ExpressionException e) {
    problems.error(
        inside(place.node(), e.line(), e.column()),
        place.step(),
        place.path(),
        Template.namesSecrets(e.expression())
            ? "expressions cannot read secrets: only ${{ secrets.NAME }} alone is replaced"
            : Objects.requireNonNullElse(e.getMessage(), "not valid jq"),
        "jq over .input, .steps and .run");
    return Optional.empty();
  }

  private <T> Optional<T> wrong(DefinitionCursor place, String message, @Nullable String allowed) {
    problems.error(place, message, allowed);
    return Optional.empty();
  }
}
