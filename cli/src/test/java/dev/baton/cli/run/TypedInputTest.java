/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Run input given as options gets the JSON type that the schema requires. */
class TypedInputTest {
  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "version": {"type": "string"},
         "count": {"type": "integer"},
         "ratio": {"type": "number"},
         "deep": {"type": "boolean"},
         "tags": {"type": "array"},
         "more": {"type": "object"},
         "none": {"type": "null"},
         "loose": {"type": ["integer", "null"]},
         "mixed": {"type": ["string", "number"]},
         "level": {"enum": [1, 2, 3]},
         "either": {"anyOf": [{"type": "boolean"}, {"type": "integer"}]},
         "shared": {"$ref": "#/$defs/size"}},
       "patternProperties": {"^n_": {"type": "number"}},
       "$defs": {"size": {"type": "integer"}}}""";

  private StubServer server;
  private InProcessCli cli;

  @BeforeEach
  void start() throws Exception {
    server = new StubServer();
    cli = InProcessCli.against(server);
    server.on("POST /runs", 201, "{\"id\":\"01k000000000000000000abcde\",\"status\":\"pending\"}");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void schema(String schema) {
    server.on("GET /workflows/typed", 200, "{\"definition\":{\"input\":" + schema + "}}");
  }

  private String sent(String... properties) {
    String[] arguments = new String[2 + 2 * properties.length];
    arguments[0] = "run";
    arguments[1] = "typed";
    for (int i = 0; i < properties.length; i++) {
      arguments[2 + 2 * i] = "-i";
      arguments[3 + 2 * i] = properties[i];
    }
    InProcessCli.Result result = cli.run(arguments);
    assertThat(result.code()).as(result.err()).isZero();
    String body = server.requests().getLast().body();
    String from = "\"input\":";
    return body.substring(body.indexOf(from) + from.length(), body.length() - 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "v=1.10            | {'v':'1.10'}",
        "v=12345e7         | {'v':'12345e7'}",
        "v=true            | {'v':'true'}",
        "v=null            | {'v':'null'}",
        "v=[1]             | {'v':'[1]'}",
        "v=                | {'v':''}",
        "v==a=b            | {'v':'=a=b'}",
        "v=@ann            | {'v':'@ann'}",
        "v=007             | {'v':'007'}",
        "v:=1.10           | {'v':1.1}",
        "v:=18446744073709551616 | {'v':18446744073709551616}",
        "v:=1e400          | {'v':1E+400}",
        "v:=true           | {'v':true}",
        "v:=[1,{}]         | {'v':[1,{}]}",
        "a.b=c             | {'a.b':'c'}",
      })
  void shouldTakeATextAsItIsAndJsonWhereItIsAskedFor(String typed, String expected) {
    assertThat(sent(typed)).isEqualTo(expected.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "version=1.10    | {'version':'1.10'}",
        "version:=1.10   | {'version':1.1}",
        "count=3         | {'count':3}",
        "count=3.0       | {'count':3.0}",
        "ratio=1.10      | {'ratio':1.1}",
        "deep=true       | {'deep':true}",
        "tags=[\"a\"]    | {'tags':['a']}",
        "more={}         | {'more':{}}",
        "none=null       | {'none':null}",
        "loose=null      | {'loose':null}",
        "loose=4         | {'loose':4}",
        "mixed=4         | {'mixed':'4'}",
        "level=2         | {'level':2}",
        "either=5        | {'either':5}",
        "either=false    | {'either':false}",
        "shared=9        | {'shared':9}",
        "n_x=1           | {'n_x':1}",
        "other=1         | {'other':'1'}",
      })
  void shouldLetTheSchemaDecide(String typed, String expected) {
    schema(SCHEMA);

    assertThat(sent(typed)).isEqualTo(expected.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "count=abc   | allowed by the workflow's input schema: integer",
        "count=1.5   | integer",
        "count=      | integer",
        "ratio=NaN   | number",
        "deep=yes    | boolean",
        "tags={}     | array",
        "loose=true  | integer or null",
        "v:=abc      | -i v:= is not JSON",
        "v:=1 2      | -i v:= is not JSON",
        "v:=         | -i v:= is empty",
        "v:={\"a\":1,\"a\":2} | -i v:= is not JSON",
        "v           | allowed: KEY=VALUE, KEY:=JSON, KEY:=@FILE",
        "=v          | allowed: KEY=VALUE",
        ":=v         | allowed: KEY=VALUE",
      })
  void shouldNameWhatIsNotAllowed(String typed, String expected) {
    schema(SCHEMA);

    InProcessCli.Result result = cli.run("run", "typed", "-i", typed);

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains(expected);
    assertThat(server.requests()).noneMatch(request -> request.line().equals("POST /runs"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"$ref\":\"#\"}",
        "{\"properties\":{\"v\":{\"$ref\":\"#/properties/v\"}}}",
        "{\"allOf\":[{\"$ref\":\"#\"}]}",
        "true",
        "{\"properties\":{\"v\":{\"type\":\"string\",\"const\":3}}}",
        "{\"patternProperties\":{\"(\":{\"type\":\"integer\"}}}"
      })
  void shouldTakeATextWhereTheSchemaLeadsNowhere(String schema) {
    schema(schema);

    assertThat(sent("v=3")).isEqualTo("{\"v\":\"3\"}");
  }

  @Test
  void shouldReadJsonFromAFile(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("tags.json"), "[\"a\", 1.50]");

    assertThat(sent("tags:=@" + file)).isEqualTo("{\"tags\":[\"a\",1.5]}");
    InProcessCli.Result missing = cli.run("run", "typed", "-i", "tags:=@" + folder.resolve("none"));
    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.err()).contains("-i tags:=: file not found");
  }
}
