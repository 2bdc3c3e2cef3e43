/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.tree;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Generates text that resembles source files and compresses like them: zstd reduces it to about a
 * quarter. The kind of a line depends on the previous one; names are drawn from a few that the file
 * uses repeatedly.
 */
final class SourceTextGenerator {
  private static final int NAMES = 64;
  private static final String LICENCE =
      "/*\n * Licensed under the terms that come with this program; see the file LICENSE.\n */\n";

  /** The kind of file. */
  enum Flavour {
    CODE(".java"),
    SCRIPT(".py"),
    PROSE(".md"),
    DATA(".json");

    final String suffix;

    Flavour(String suffix) {
      this.suffix = suffix;
    }

    static Flavour any(SplittableRandom random) {
      int n = random.nextInt(20);
      return n < 12 ? CODE : n < 16 ? SCRIPT : n < 18 ? PROSE : DATA;
    }
  }

  private final SyntheticVocabulary lexicon;
  private final Flavour flavour;
  private final SplittableRandom random;
  private final int topic;
  private final String[] names = new String[NAMES];
  private final StringBuilder text;
  private int depth;

  private SourceTextGenerator(
      SyntheticVocabulary lexicon,
      Flavour flavour,
      int topic,
      int length,
      SplittableRandom random) {
    this.lexicon = lexicon;
    this.flavour = flavour;
    this.topic = topic;
    this.random = random;
    this.text = new StringBuilder(length + 200);
    for (int i = 0; i < NAMES; i++) {
      names[i] = lexicon.name(topic, random);
    }
  }

  /**
   * Generates text of this many bytes.
   *
   * @param topic files of one topic share names
   */
  static byte[] of(
      SyntheticVocabulary lexicon,
      Flavour flavour,
      int topic,
      int length,
      SplittableRandom random) {
    SourceTextGenerator text = new SourceTextGenerator(lexicon, flavour, topic, length, random);
    text.fill(length);
    byte[] bytes = text.text.toString().getBytes(StandardCharsets.ISO_8859_1);
    byte[] exact = Arrays.copyOf(bytes, length);
    if (length > 0) {
      exact[length - 1] = '\n';
    }
    return exact;
  }

  private void fill(int length) {
    if (flavour == Flavour.CODE && random.nextInt(3) > 0) {
      text.append(LICENCE);
    }
    while (text.length() < length) {
      switch (flavour) {
        case CODE -> code();
        case SCRIPT -> script();
        case PROSE -> prose();
        case DATA -> data();
      }
    }
  }

  private void code() {
    if (depth == 0) {
      if (random.nextInt(3) == 0) {
        put("import ", word(), ".", word(), ".", word(), ".", type(), ";\n");
        return;
      }
      put("\n/** ", sentence(), " */\n");
      put("public final class ", type(), " {\n");
      depth = 1;
      return;
    }
    if (depth == 1) {
      switch (random.nextInt(5)) {
        case 0 -> put("  private final ", type(), " ", name(), ";\n");
        case 1 -> {
          put("}\n");
          depth = 0;
        }
        default -> {
          put("\n  /** ", sentence(), " */\n");
          put("  public ", type(), " ", name(), "(", type(), " ", name(), ") {\n");
          depth = 2;
        }
      }
      return;
    }
    statement();
  }

  private void statement() {
    indent(depth);
    switch (random.nextInt(11)) {
      case 0, 1 -> put(type(), " ", name(), " = ", name(), ".", name(), "(", name(), ");\n");
      case 2 -> put(name(), ".", name(), "(", name(), ", ", name(), ");\n");
      case 3 -> put("// ", sentence(), "\n");
      case 4 -> put("if (", name(), ".", name(), "() == ", number(), ") {\n");
      case 5 -> put("for (", type(), " ", name(), " : ", name(), ".", name(), "()) {\n");
      case 6 -> put("throw new ", type(), "Exception(\"", sentence(), "\" + ", name(), ");\n");
      case 7 -> put("this.", name(), " = ", name(), ";\n");
      case 8 -> put("return ", name(), ".", name(), "(", number(), ");\n");
      default -> put("}\n");
    }
    char last = text.charAt(text.length() - 2);
    if (last == '{') {
      depth = Math.min(depth + 1, 6);
    } else if (last == '}') {
      depth--;
    }
  }

  private void script() {
    indent(depth);
    switch (random.nextInt(9)) {
      case 0 -> {
        put("\ndef ", name(), "(self, ", name(), ", ", name(), "=None):\n");
        depth = 1;
      }
      case 1 -> put("# ", sentence(), "\n");
      case 2 -> {
        put("if ", name(), " is not ", name(), ":\n");
        depth = Math.min(depth + 1, 4);
      }
      case 3 -> {
        put("return ", name(), "[", number(), "]\n");
        depth = Math.max(0, depth - 1);
      }
      case 4 -> put(name(), " = {'", word(), "': ", name(), ", '", word(), "': ", number(), "}\n");
      case 5 -> put("self.", name(), ".", name(), "(", name(), ")\n");
      case 6 -> put("log.info('", sentence(), " %s', ", name(), ")\n");
      default -> put(name(), " = ", name(), ".", name(), "(", name(), ")\n");
    }
  }

  private void prose() {
    switch (random.nextInt(8)) {
      case 0 -> put("\n## ", SyntheticVocabulary.capital(word()), " ", word(), "\n\n");
      case 1 -> put("- `", name(), "`: ", sentence(), "\n");
      default -> put(SyntheticVocabulary.capital(sentence()), ". ", sentence(), ".\n");
    }
  }

  private void data() {
    switch (random.nextInt(6)) {
      case 0 -> put("    {\n      \"", word(), "\": {\n");
      case 1 -> put("        \"sha1\": \"", hex(), hex(), "\",\n");
      case 2 -> put("        \"", name(), "\": ", number(), ",\n");
      default -> put("        \"", name(), "\": \"", word(), "/", word(), "\",\n");
    }
  }

  private void indent(int levels) {
    for (int i = 0; i < levels; i++) {
      text.append(flavour == Flavour.SCRIPT ? "    " : "  ");
    }
  }

  private void put(String... parts) {
    for (String part : parts) {
      text.append(part);
    }
  }

  private String name() {
    double u = random.nextDouble();
    return names[(int) (NAMES * u * u)];
  }

  private String type() {
    return SyntheticVocabulary.capital(name());
  }

  private String word() {
    return lexicon.word(random);
  }

  private String number() {
    return Integer.toString(random.nextInt(random.nextBoolean() ? 4 : 5_000));
  }

  private String hex() {
    return Long.toHexString(random.nextLong());
  }

  private String sentence() {
    StringBuilder sentence = new StringBuilder(word());
    for (int more = 3 + random.nextInt(8); more > 0; more--) {
      sentence.append(' ').append(random.nextInt(4) == 0 ? lexicon.name(topic, random) : word());
    }
    return sentence.toString();
  }
}
