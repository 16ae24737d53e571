//! The kind. Its definition is derived: schema, rules, list types, columns, scale and selectable field.

use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(
    group = "rs.example.com",
    version = "v1",
    kind = "Vessel",
    namespaced,
    doc = "A vessel and its crew",
    status = "VesselStatus",
    shortname = "vsl",
    category = "fleet",
    selectable = ".spec.home",
    scale(spec_replicas_path = ".spec.crew", status_replicas_path = ".status.crew"),
    printcolumn(name = "Home", type_ = "string", json_path = ".spec.home"),
    printcolumn(name = "Crew", type_ = "integer", json_path = ".status.crew"),
    validation = Rule::new("self.metadata.name != 'flying-dutchman'").message("no such vessel")
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("self.crew <= self.berths").message("more crew than berths"))]
pub struct VesselSpec {
    /// The port that it belongs to.
    #[x_kube(validation = Rule::new("self == oldSelf").message("a vessel keeps its home").reason(Reason::FieldValueForbidden))]
    pub home: String,
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 50))]
    pub crew: i32,
    #[serde(default = "ten")]
    pub berths: i32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub decks: Vec<Deck>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub flags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rig: Option<Rig>,
}

#[derive(KubeSchema, Clone, Debug, Deserialize, Serialize)]
pub struct Deck {
    pub name: String,
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub guns: i32,
}

#[derive(schemars::JsonSchema, Clone, Debug, Deserialize, Serialize)]
pub enum Rig {
    Sloop,
    Brig,
}

#[derive(KubeSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VesselStatus {
    pub crew: i32,
    pub observed_generation: i64,
    pub phase: String,
}

fn one() -> i32 {
    1
}

fn ten() -> i32 {
    10
}
